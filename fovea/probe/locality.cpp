#include "fovea/probe/locality.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "fovea/math/cholesky.h"
#include "fovea/math/matmul.h"

namespace fovea {

namespace {

struct Position {
  Index example, s;
};

std::vector<Position> positions_of(const Tokens& source, Index most) {
  std::vector<Position> positions;
  for (int b = 0; b < source.rows; ++b)
    for (int s = 0; s < source.lengths[static_cast<std::size_t>(b)]; ++s)
      if (static_cast<Index>(positions.size()) < most) positions.push_back({b, s});
  return positions;
}

std::optional<double> share_of_word(Cube<const float> states, const Tokens& source,
                                    const std::vector<Position>& positions) {
  const Index width = states.size(2);
  struct Group {
    double count = 0;
    std::vector<double> mean;
  };
  std::map<int, Group> groups;
  std::vector<double> mean(static_cast<std::size_t>(width), 0.0);
  const auto at = [&](const Position& p, std::size_t h) {
    return static_cast<double>(states(p.example, p.s, static_cast<Index>(h)));
  };
  for (const Position& p : positions) {
    Group& group = groups[source.at(static_cast<int>(p.example), static_cast<int>(p.s))];
    group.mean.resize(mean.size());
    ++group.count;
    for (std::size_t h = 0; h < mean.size(); ++h) {
      group.mean[h] += at(p, h);
      mean[h] += at(p, h);
    }
  }
  const auto n = static_cast<double>(positions.size()), k = static_cast<double>(groups.size());
  for (double& x : mean) x /= n;
  for (auto& entry : groups)
    for (double& x : entry.second.mean) x /= entry.second.count;
  double within = 0, all = 0;
  for (const Position& p : positions) {
    const Group& group = groups[source.at(static_cast<int>(p.example), static_cast<int>(p.s))];
    for (std::size_t h = 0; h < mean.size(); ++h) {
      within += (at(p, h) - group.mean[h]) * (at(p, h) - group.mean[h]);
      all += (at(p, h) - mean[h]) * (at(p, h) - mean[h]);
    }
  }
  if (n <= k || !(all > 0)) return std::nullopt;
  return 1 - within / (n - k) / (all / (n - 1));
}

// Ridge regression on the rows of x (n,p), which must outlive it.
class Ridge {
 public:
  explicit Ridge(Matrix<const double> x) : x_(x), factor_(static_cast<std::size_t>(x.size(1) * x.size(1))) {
    const Matrix<double> gram(factor_.data(), x.size(1), x.size(1));
    matmul(transposed(x), plain(x), gram);
    double trace = 0;
    for (Index i = 0; i < x.size(1); ++i) trace += gram(i, i);
    for (Index i = 0; i < x.size(1); ++i) gram(i, i) += 1e-3 * trace / static_cast<double>(x.size(1));
    solvable_ = cholesky(gram);
  }

  bool solvable() const { return solvable_; }

  // What the map that fits y (n,k) best says of the rows of `asked` (m,p): (m,k)
  std::vector<double> predict(Matrix<const double> y, Matrix<const double> asked) const {
    const Index p = x_.size(1), k = y.size(1);
    std::vector<double> map(static_cast<std::size_t>(p * k)), said(static_cast<std::size_t>(asked.size(0) * k));
    const Matrix<double> weights(map.data(), p, k);
    matmul(transposed(x_), plain(y), weights);
    cholesky_solve(Matrix<const double>(factor_.data(), p, p), weights);
    matmul(plain(asked), plain(Matrix<const double>(weights)), Matrix<double>(said.data(), asked.size(0), k));
    return said;
  }

 private:
  Matrix<const double> x_;
  std::vector<double> factor_;
  bool solvable_ = false;
};

// One linear map from states to words, by ridge regression on one-hot words.
class Decoder {
 public:
  Decoder(Cube<const float> states, const Tokens& source, const std::vector<Position>& positions)
      : source_(source), width_(states.size(2) + 1) {
    for (const Position& p : positions) {
      Half& half = p.example % 2 == 0 ? training_ : held_out_;
      half.positions.push_back(p);
      const float* const h = &states(p.example, p.s, Index{0});
      half.states.insert(half.states.end(), h, h + width_ - 1);
      half.states.push_back(1);  // for the mean
    }
    for (const Position& p : training_.positions)
      words_.emplace(word(p, 0), static_cast<Index>(words_.size()));  // first seen, first numbered
    if (able()) ridge_.emplace(training_.matrix(width_));
  }

  bool able() const { return training_.positions.size() > 10 && held_out_.positions.size() > 10 && words_.size() > 1; }
  bool solvable() const { return ridge_ && ridge_->solvable(); }

  // Share of held-out positions at which the linear decoder finds the word `offset` positions later.
  std::optional<double> accuracy(int offset) const {
    const auto classes = static_cast<Index>(words_.size());
    std::vector<double> targets(training_.positions.size() * words_.size(), 0.0);
    for (std::size_t i = 0; i < training_.positions.size(); ++i)
      if (const Index k = number(word(training_.positions[i], offset)); k >= 0)
        targets[i * words_.size() + static_cast<std::size_t>(k)] = 1;
    const Matrix<const double> y(targets.data(), static_cast<Index>(training_.positions.size()), classes);
    const std::vector<double> read = ridge_->predict(y, held_out_.matrix(width_));
    double right = 0, all = 0;
    for (std::size_t i = 0; i < held_out_.positions.size(); ++i) {
      const int truth = word(held_out_.positions[i], offset);
      if (truth < 0) continue;
      const auto begin = read.begin() + static_cast<std::ptrdiff_t>(i * words_.size());
      right += std::max_element(begin, begin + classes) - begin == number(truth);
      ++all;
    }
    return all > 0 ? std::optional(right / all) : std::nullopt;
  }

  double chance() const {
    std::map<int, double> counts;
    double most = 0;
    for (const Position& p : held_out_.positions) most = std::max(most, ++counts[word(p, 0)]);
    return most / static_cast<double>(held_out_.positions.size());
  }

 private:
  struct Half {
    std::vector<Position> positions;
    std::vector<double> states;
    Matrix<const double> matrix(Index width) const {
      return Matrix<const double>(states.data(), static_cast<Index>(positions.size()), width);
    }
  };

  int word(const Position& p, int offset) const {  // -1: outside
    const Index s = p.s + offset;
    if (s < 0 || s >= source_.lengths[static_cast<std::size_t>(p.example)]) return -1;
    return source_.at(static_cast<int>(p.example), static_cast<int>(s));
  }
  Index number(int word) const {  // -1: not among the training words
    const auto found = words_.find(word);
    return found == words_.end() ? -1 : found->second;
  }

  const Tokens& source_;
  Index width_;
  Half training_, held_out_;
  std::map<int, Index> words_;
  std::optional<Ridge> ridge_;
};

std::optional<double> mean(std::optional<double> a, std::optional<double> b) {
  if (a && b) return (*a + *b) / 2;
  return a ? a : b;
}

// Rows of numbers, of which a mean can be taken away.
struct Rows {
  Index width = 0;
  std::vector<double> values;

  Index count() const { return static_cast<Index>(values.size()) / width; }
  Matrix<const double> matrix() const { return Matrix<const double>(values.data(), count(), width); }
  std::vector<double> mean() const {
    std::vector<double> mean(static_cast<std::size_t>(width), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) mean[i % mean.size()] += values[i] / static_cast<double>(count());
    return mean;
  }
  double squares() const { return std::inner_product(values.begin(), values.end(), values.begin(), 0.0); }
  // Whether anything but rounding is left of the rows.
  bool take_away(const std::vector<double>& mean) {
    const double before = squares();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= mean[i % mean.size()];
    return squares() > 1e-12 * before;
  }
};

// Of one half of the texts: the means of their embeddings and of their states.
struct TextMeans {
  Rows words, states;
  Index texts() const { return states.count(); }
};

TextMeans means_of(Cube<const float> states, const Tokens& source, Matrix<const float> embeddings, int first) {
  TextMeans means{{embeddings.size(1), {}}, {states.size(2), {}}};
  for (int b = first; b < source.rows; b += 2) {
    const int length = source.lengths[static_cast<std::size_t>(b)];
    if (length == 0) continue;
    const auto mean = [&](Rows& rows, auto&& row_of) {
      const std::size_t begin = rows.values.size();
      rows.values.resize(begin + static_cast<std::size_t>(rows.width), 0.0);
      for (int s = 0; s < length; ++s) {
        const float* const row = row_of(s);
        for (std::size_t i = 0; i < static_cast<std::size_t>(rows.width); ++i)
          rows.values[begin + i] += static_cast<double>(row[i]) / length;
      }
    };
    mean(means.words, [&](int s) { return &embeddings(Index{source.at(b, s)}, Index{0}); });
    mean(means.states, [&](int s) { return &states(Index{b}, Index{s}, Index{0}); });
  }
  return means;
}

}  // namespace

Locality measure_locality(Cube<const float> states, const Tokens& source, Index most) {
  Locality locality;
  const std::vector<Position> positions = positions_of(source, most);
  if (states.empty() || positions.empty()) return locality;
  locality.word_share = share_of_word(states, source, positions);
  const Decoder decoder(states, source, positions);
  if (!decoder.able() || !decoder.solvable()) return locality;
  locality.chance = decoder.chance();
  locality.here = decoder.accuracy(0);
  locality.next = mean(decoder.accuracy(-1), decoder.accuracy(1));
  locality.second = mean(decoder.accuracy(-2), decoder.accuracy(2));
  return locality;
}

MeanState measure_mean_state(Cube<const float> states, const Tokens& source, Matrix<const float> embeddings) {
  MeanState result;
  if (states.empty() || embeddings.size(0) == 0) return result;
  TextMeans training = means_of(states, source, embeddings, 0), held_out = means_of(states, source, embeddings, 1);
  if (training.texts() < 10 || held_out.texts() < 10) return result;
  const std::vector<double> word_mean = training.words.mean(), state_mean = training.states.mean();
  const bool words_vary = training.words.take_away(word_mean);
  held_out.words.take_away(word_mean);
  training.states.take_away(state_mean);
  if (!held_out.states.take_away(state_mean)) return result;
  const double all = held_out.states.squares();
  const Ridge ridge(training.words.matrix());
  const auto told = [&](const Rows& states_given) {
    // Where the words' means do not vary there is nothing to map, and nothing is told.
    if (!words_vary || !ridge.solvable()) return 0.0;
    const std::vector<double> said = ridge.predict(states_given.matrix(), held_out.words.matrix());
    double left = 0;
    for (std::size_t i = 0; i < said.size(); ++i)
      left += (held_out.states.values[i] - said[i]) * (held_out.states.values[i] - said[i]);
    return 1 - left / all;
  };
  result.told = told(training.states);
  Rows turned = training.states;  // the first text is given the states of the second
  std::rotate(turned.values.begin(), turned.values.begin() + static_cast<std::ptrdiff_t>(turned.width),
              turned.values.end());
  result.shuffled = told(turned);
  return result;
}

}  // namespace fovea
