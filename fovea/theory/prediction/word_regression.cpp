#include "fovea/theory/prediction/word_regression.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"

namespace fovea {

namespace {

constexpr int most_iterations = 200;
constexpr std::size_t remembered = 10;  // changes that the minimiser has in mind
constexpr double small_gradient = 1e-4;

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// A step of the parameters, and what it changed of the gradient.
struct Change {
  std::vector<double> step, gradient;
  double curvature = 0;  // their product
};

// The direction of L-BFGS (Liu and Nocedal, 1989).
std::vector<double> direction_of(std::span<const double> gradient, const std::deque<Change>& changes) {
  std::vector<double> direction(gradient.begin(), gradient.end()), shares(changes.size());
  for (std::size_t k = changes.size(); k-- > 0;) {
    shares[k] = product(changes[k].step, direction) / changes[k].curvature;
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] -= shares[k] * changes[k].gradient[i];
  }
  const double scale = changes.empty()
                           ? 1 / std::max(1.0, std::sqrt(product(gradient, gradient)))
                           : changes.back().curvature / product(changes.back().gradient, changes.back().gradient);
  for (double& one : direction) one *= -scale;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const double share = product(changes[k].gradient, direction) / changes[k].curvature + shares[k];
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] -= share * changes[k].step[i];
  }
  return direction;
}

}  // namespace

WordRegression::WordRegression(const std::vector<std::vector<int>>& texts, std::span<const int> labels, int words,
                               int classes)
    : classes_(static_cast<std::size_t>(classes)),
      rows_(classes == 2 ? 1 : classes_),
      rarity_(static_cast<std::size_t>(words)),
      parameters_((rarity_.size() + 1) * rows_) {
  std::vector<std::size_t> last(rarity_.size(), texts.size());  // the text that was counted last
  for (std::size_t t = 0; t < texts.size(); ++t)
    for (const int word : texts[t])
      if (known(word) && std::exchange(last[static_cast<std::size_t>(word)], t) != t)
        ++rarity_[static_cast<std::size_t>(word)];
  const double all = 1 + static_cast<double>(texts.size());
  for (double& one : rarity_) one = 1 + math::log(all / (1 + one));
  std::vector<Text> rows;
  for (const std::vector<int>& text : texts) rows.push_back(weighed(text));
  fit(rows, labels);
}

WordRegression::Text WordRegression::weighed(std::span<const int> text) const {
  std::vector<int> sorted;
  for (const int word : text)
    if (known(word)) sorted.push_back(word);
  std::sort(sorted.begin(), sorted.end());
  Text found;
  double squares = 0;
  for (auto word = sorted.begin(); word != sorted.end();) {
    const auto next = std::upper_bound(word, sorted.end(), *word);
    const double value = static_cast<double>(next - word) * rarity_[static_cast<std::size_t>(*word)];
    found.words.push_back(*word);
    found.values.push_back(value);
    squares += value * value;
    word = next;
  }
  for (double& value : found.values) value /= std::sqrt(squares);
  return found;
}

std::vector<double> WordRegression::raw_scores(const Text& text, std::span<const double> parameters) const {
  const std::span<const double> biases = parameters.last(rows_);
  std::vector<double> z(biases.begin(), biases.end());
  for (std::size_t i = 0; i < text.words.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(text.words[i]) * rows_;
    for (std::size_t k = 0; k < rows_; ++k) z[k] += text.values[i] * parameters[at + k];
  }
  return z;
}

double WordRegression::loss(const std::vector<Text>& texts, std::span<const int> labels,
                            std::span<const double> parameters, std::span<double> gradient) const {
  const std::size_t weights = parameters.size() - rows_;
  double sum = 0.5 * product(parameters.first(weights), parameters.first(weights));
  std::copy(parameters.begin(), parameters.end(), gradient.begin());
  std::fill(gradient.end() - static_cast<std::ptrdiff_t>(rows_), gradient.end(), 0.0);
  for (std::size_t t = 0; t < texts.size(); ++t) {
    std::vector<double> z = raw_scores(texts[t], parameters);
    const auto label = static_cast<std::size_t>(labels[t]);
    if (rows_ == 1) {
      sum += softplus(label == 1 ? -z[0] : z[0]);
      z[0] = logistic(z[0]) - (label == 1 ? 1 : 0);
    } else {
      const double most = *std::max_element(z.begin(), z.end()), right = z[label];
      double all = 0;
      for (double& one : z) all += one = math::exp(one - most);
      sum += most + math::log(all) - right;
      for (double& one : z) one /= all;
      z[label] -= 1;
    }
    for (std::size_t i = 0; i < texts[t].words.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(texts[t].words[i]) * rows_;
      for (std::size_t k = 0; k < rows_; ++k) gradient[at + k] += texts[t].values[i] * z[k];
    }
    for (std::size_t k = 0; k < rows_; ++k) gradient[weights + k] += z[k];
  }
  return sum;
}

void WordRegression::fit(const std::vector<Text>& texts, std::span<const int> labels) {
  std::vector<double> gradient(parameters_.size()), next(parameters_.size()), next_gradient(parameters_.size());
  double now = loss(texts, labels, parameters_, gradient);
  std::deque<Change> changes;
  for (int iteration = 0; iteration < most_iterations && largest(gradient) > small_gradient; ++iteration) {
    const std::vector<double> direction = direction_of(gradient, changes);
    const double slope = product(direction, gradient);
    double length = 1, then = now;
    for (int halved = 0; halved < 40; ++halved, length /= 2) {
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = parameters_[i] + length * direction[i];
      then = loss(texts, labels, next, next_gradient);
      if (then <= now + 1e-4 * length * slope) break;
    }
    if (then >= now) return;  // no step is left that rounding does not hide
    Change change{next, next_gradient};
    for (std::size_t i = 0; i < next.size(); ++i) {
      change.step[i] -= parameters_[i];
      change.gradient[i] -= gradient[i];
    }
    change.curvature = product(change.step, change.gradient);
    if (change.curvature > 0) changes.push_back(std::move(change));
    if (changes.size() > remembered) changes.pop_front();
    parameters_.swap(next);
    gradient.swap(next_gradient);
    now = then;
  }
}

std::vector<double> WordRegression::scores(std::span<const int> text) const {
  std::vector<double> z = raw_scores(weighed(text), parameters_);
  if (rows_ == 1) z.insert(z.begin(), 0.0);
  return z;
}

double WordRegression::weight(int word, int label) const {
  const std::size_t at = static_cast<std::size_t>(word) * rows_;
  if (rows_ > 1) return parameters_[at + static_cast<std::size_t>(label)];
  return label == 1 ? parameters_[at] : -parameters_[at];
}

std::vector<double> WordRegression::parts(std::span<const int> text, int label) const {
  const Text row = weighed(text);
  std::vector<double> parts;
  for (const int word : text) {
    parts.push_back(0);
    if (!known(word)) continue;
    const auto at = std::lower_bound(row.words.begin(), row.words.end(), word) - row.words.begin();
    const auto times = static_cast<double>(std::count(text.begin(), text.end(), word));
    parts.back() = row.values[static_cast<std::size_t>(at)] / times * weight(word, label);
  }
  return parts;
}

}  // namespace fovea
