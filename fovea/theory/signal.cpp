#include "fovea/theory/signal.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr double negligible_variance = 1e-10;  // of a variance: what rounding leaves of none

// Covariances once the length of the input is taken out.
class WithoutLength {
 public:
  explicit WithoutLength(const Cooccurrence& c)
      : c_(c), share_(c.length_variance > negligible_variance ? 1 / c.length_variance : 0) {}
  double among(std::size_t i, std::size_t j) const {
    return c_.among_inputs[i * c_.in() + j] - c_.input_with_length[i] * c_.input_with_length[j] * share_;
  }
  double cross(std::size_t i, std::size_t o) const {
    return c_.cross(i, o) - c_.input_with_length[i] * c_.output_with_length[o] * share_;
  }
  double variance(std::size_t o) const {
    const double left = c_.output_variance[o] - c_.output_with_length[o] * c_.output_with_length[o] * share_;
    return left > negligible_variance * (1 + c_.output_variance[o]) ? left : 0;
  }

 private:
  const Cooccurrence& c_;
  double share_;
};

// Cholesky with pivots of a matrix that may be short of rank: whitens the inputs one by one, the one that the others
// tell least of first, and stops where the rest is told.
struct Whitened {
  std::vector<std::size_t> pivots;        // the inputs in the order taken: rank of them
  std::vector<std::vector<double>> rows;  // of each input: its part along every pivot before and of itself
};

Whitened whiten(const Cooccurrence& c, const WithoutLength& covariance) {
  const std::size_t n = c.in();
  Whitened result;
  result.rows.resize(n);
  std::vector<double> left(n), scale(n);
  std::vector<std::size_t> rest(n);
  std::iota(rest.begin(), rest.end(), std::size_t{0});
  for (std::size_t i = 0; i < n; ++i) left[i] = scale[i] = covariance.among(i, i);
  // Relative to its own variance: a rare word counts as much as a frequent one.
  const auto share = [&](std::size_t i) { return scale[i] > negligible_variance ? left[i] / scale[i] : 0; };
  while (!rest.empty()) {
    const auto best =
        std::max_element(rest.begin(), rest.end(), [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
    const std::size_t pivot = *best;
    if (share(pivot) < 1e-8) break;
    rest.erase(best);
    const double root = std::sqrt(left[pivot]);
    const std::vector<double>& row = result.rows[pivot];
    for (const std::size_t i : rest) {
      std::vector<double>& other = result.rows[i];
      const double part =
          (covariance.among(i, pivot) - dot(std::span<const double>(row), std::span<const double>(other))) / root;
      other.push_back(part);
      left[i] -= part * part;
    }
    result.rows[pivot].push_back(root);
    result.pivots.push_back(pivot);
  }
  return result;
}

// Σ_k z_k^2, z being the output's covariance with the whitened inputs: the variance they explain.
double explained(const Whitened& whitened, const WithoutLength& covariance, std::size_t o, std::vector<double>& z) {
  z.clear();
  double sum = 0;
  for (const std::size_t pivot : whitened.pivots) {
    const std::vector<double>& row = whitened.rows[pivot];
    const std::span<const double> before(row.data(), z.size());
    z.push_back((covariance.cross(pivot, o) - dot(before, std::span<const double>(z))) / row[z.size()]);
    sum += z.back() * z.back();
  }
  return sum;
}

}  // namespace

Signal measure_signal(const Cooccurrence& c) {
  Signal signal;
  const WithoutLength covariance(c);
  const Whitened whitened = whiten(c, covariance);
  const auto n = static_cast<double>(c.sampled), r = static_cast<double>(whitened.pivots.size());
  signal.inputs = static_cast<int>(whitened.pivots.size());
  const double total = std::accumulate(c.output_mean.begin(), c.output_mean.end(), 0.0);
  double by_chance = 0, varying = 0, told = 0, gradient = 0, error = 0;
  std::vector<double> z;
  for (std::size_t o = 0; o < c.out(); ++o) {
    by_chance += c.output_mean[o] * (1 - c.output_mean[o] / total);
    const double variance = covariance.variance(o);
    varying += variance;
    OutputSignal one{.output = o};
    // Freedom left beside the mean and the length.
    const double freedom = n - r - 1 - (c.length_variance > negligible_variance ? 1 : 0);
    if (variance > 0 && r > 0 && freedom > 0) {
      const double share = std::min(1.0, explained(whitened, covariance, o, z) / variance);
      one.decodable = 1 - (1 - share) * (freedom + r) / freedom;
      const double known = std::clamp(one.decodable, 0.0, 1.0);
      one.error = std::sqrt(2 * r) / freedom + 2 * std::sqrt(known / n) * (1 - known);
      // The variance itself is known as well as the fourth moment says.
      const double spread =
          std::sqrt(std::max(0.0, c.output_fourth[o] - c.output_variance[o] * c.output_variance[o]) / n);
      told += one.decodable * variance;
      gradient += std::sqrt(known) * variance;
      error += one.error * variance + known * spread;
    }
    signal.by_output.push_back(one);
  }
  const double whole = std::max(by_chance, varying);
  if (whole > 0) {
    signal.overall = told / whole;
    signal.error = error / whole;
    signal.first_gradient = gradient / whole;
  }
  // What was never seen to vary may still do so once in as many examples as were read.
  signal.error = std::max(signal.error, 1 / n);
  return signal;
}

}  // namespace fovea
