#include "fovea/theory/unigram_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/math/logistic.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

std::size_t size_of(const LabelledBags& bags) { return static_cast<std::size_t>(bags.vocab()); }

// A token that stands n times has n e^a of the softmax: its logit is a + log n.
void attend(const LabelledBags& bags, std::size_t bag, std::span<const double> state, std::span<double> weights) {
  const std::span<const double> logits = state.subspan(size_of(bags));
  const std::span<const int> tokens = bags.tokens(bag);
  const std::span<const double> log_counts = bags.log_counts(bag);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    weights[i] = logits[static_cast<std::size_t>(tokens[i])] + log_counts[i];
  softmax(weights, weights);
}

double score(std::span<const int> tokens, std::span<const double> weights, std::span<const double> state) {
  double s = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) s += weights[i] * state[static_cast<std::size_t>(tokens[i])];
  return s;
}

}  // namespace

void LabelledBags::add(std::span<const int> sequence, int label) {
  if (label != 0 && label != 1) {
    throw wrong_input(fmt::format("the class of a sequence can not be {}", label),
                      "it is 0 (negative) or 1 (positive)");
  }
  if (sequence.empty()) throw wrong_input("a sequence is empty", "give it at least one token");
  std::vector<int> sorted(sequence.begin(), sequence.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0 || sorted.back() >= vocab_) {
    const int wrong = sorted.front() < 0 ? sorted.front() : sorted.back();
    throw wrong_input(fmt::format("token {} is not in a vocabulary of {}", wrong, vocab_),
                      fmt::format("tokens are 0 to {}", vocab_ - 1));
  }
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::upper_bound(first, sorted.end(), *first);
    tokens_.push_back(*first);
    log_counts_.push_back(std::log(static_cast<double>(last - first)));
    first = last;
  }
  longest_ = std::max(longest_, tokens_.size() - (ends_.empty() ? 0 : ends_.back()));
  ends_.push_back(tokens_.size());
  labels_.push_back(label);
}

std::span<const int> LabelledBags::tokens(std::size_t bag) const {
  const std::size_t begin = bag == 0 ? 0 : ends_[bag - 1];
  return std::span(tokens_).subspan(begin, ends_[bag] - begin);
}

std::span<const double> LabelledBags::log_counts(std::size_t bag) const {
  const std::size_t begin = bag == 0 ? 0 : ends_[bag - 1];
  return std::span(log_counts_).subspan(begin, ends_[bag] - begin);
}

std::vector<double> unigram_attention(const LabelledBags& bags, std::size_t bag, std::span<const double> state) {
  std::vector<double> weights(bags.tokens(bag).size());
  attend(bags, bag, state, weights);
  return weights;
}

double unigram_loss(const LabelledBags& bags, std::span<const double> state) {
  assert(state.size() == 2 * size_of(bags));
  std::vector<double> row(bags.longest());
  double loss = 0;
  for (std::size_t bag = 0; bag < bags.size(); ++bag) {
    const std::span<const int> tokens = bags.tokens(bag);
    const std::span<double> weights = std::span(row).first(tokens.size());
    attend(bags, bag, state, weights);
    const double s = score(tokens, weights, state);
    loss += softplus(bags.label(bag) == 1 ? -s : s);
  }
  return loss / static_cast<double>(bags.size());
}

// With g = d loss / d s: d loss / d beta_v = g w_v and d loss / d a_v = g w_v (beta_v - s).
double unigram_slope(const LabelledBags& bags, std::span<const double> state, std::span<double> slope,
                     double attention_rate) {
  assert(state.size() == 2 * size_of(bags) && slope.size() == state.size());
  std::vector<double> row(bags.longest());
  std::fill(slope.begin(), slope.end(), 0.0);
  const double share = 1 / static_cast<double>(bags.size());
  double loss = 0;
  for (std::size_t bag = 0; bag < bags.size(); ++bag) {
    const std::span<const int> tokens = bags.tokens(bag);
    const std::span<double> weights = std::span(row).first(tokens.size());
    attend(bags, bag, state, weights);
    const double s = score(tokens, weights, state);
    const bool positive = bags.label(bag) == 1;
    const double wrong = positive ? -s : s;
    loss += softplus(wrong) * share;
    const double pull = (positive ? share : -share) * logistic(wrong);  // -d loss / d s
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto v = static_cast<std::size_t>(tokens[i]);
      slope[v] += pull * weights[i];
      slope[size_of(bags) + v] += attention_rate * pull * weights[i] * (state[v] - s);
    }
  }
  return loss;
}

std::vector<FlowState> unigram_flow(const LabelledBags& bags, const FlowState& start, std::span<const double> times,
                                    double attention_rate, const FlowOptions& options) {
  const FlowField field = [&](const FlowState& state, FlowState& change) {
    unigram_slope(bags, state, change, attention_rate);
  };
  return follow_flow(field, start, times, options);
}

FlowState unigram_descent(const LabelledBags& bags, FlowState start, double rate, std::int64_t steps,
                          double attention_rate) {
  FlowState slope(start.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    unigram_slope(bags, start, slope, attention_rate);
    add_scaled(rate, slope, start);
  }
  return start;
}

DescentOrder unigram_descent_order(const LabelledBags& bags, const FlowState& start, double tau,
                                   double attention_rate) {
  const double times[] = {tau};
  const FlowState truth = unigram_flow(bags, start, times, attention_rate).front();
  return descent_order(tau, [&](double rate, std::int64_t steps) {
    const FlowState end = unigram_descent(bags, start, rate, steps, attention_rate);
    double distance = 0;
    for (std::size_t i = 0; i < end.size(); ++i) distance = std::hypot(distance, end[i] - truth[i]);
    return distance;
  });
}

}  // namespace fovea
