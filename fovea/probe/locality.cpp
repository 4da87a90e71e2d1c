#include "fovea/probe/locality.h"

#include <algorithm>
#include <cmath>
#include <map>
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
    if (!able()) return;
    factor_.resize(static_cast<std::size_t>(width_ * width_));
    const Matrix<double> gram(factor_.data(), width_, width_);
    const Matrix<const double> x = training_.matrix(width_);
    matmul(transposed(x), plain(x), gram);
    double trace = 0;
    for (Index i = 0; i < width_; ++i) trace += gram(i, i);
    for (Index i = 0; i < width_; ++i) gram(i, i) += 1e-3 * trace / static_cast<double>(width_);
    solvable_ = cholesky(gram);
  }

  bool able() const { return training_.positions.size() > 10 && held_out_.positions.size() > 10 && words_.size() > 1; }
  bool solvable() const { return solvable_; }

  // Share of held-out positions at which the word `offset` places on is read rightly.
  std::optional<double> accuracy(int offset) const {
    const auto classes = static_cast<Index>(words_.size());
    std::vector<double> targets(training_.positions.size() * words_.size(), 0.0);
    for (std::size_t i = 0; i < training_.positions.size(); ++i)
      if (const Index k = number(word(training_.positions[i], offset)); k >= 0)
        targets[i * words_.size() + static_cast<std::size_t>(k)] = 1;
    std::vector<double> map(static_cast<std::size_t>(width_ * classes));
    const Matrix<double> weights(map.data(), width_, classes);
    const Matrix<const double> y(targets.data(), static_cast<Index>(training_.positions.size()), classes);
    matmul(transposed(training_.matrix(width_)), plain(y), weights);
    cholesky_solve(Matrix<const double>(factor_.data(), width_, width_), weights);
    std::vector<double> read(held_out_.positions.size() * words_.size());
    matmul(plain(held_out_.matrix(width_)), plain(Matrix<const double>(weights)),
           Matrix<double>(read.data(), static_cast<Index>(held_out_.positions.size()), classes));
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
  std::vector<double> factor_;
  bool solvable_ = false;
};

std::optional<double> mean(std::optional<double> a, std::optional<double> b) {
  if (a && b) return (*a + *b) / 2;
  return a ? a : b;
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

}  // namespace fovea
