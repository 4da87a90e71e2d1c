#include "fovea/probe/agreement.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/base/random.h"

namespace fovea {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::ptrdiff_t allowed(std::size_t length, double share) {
  return static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(length)));
}

std::ptrdiff_t greater_than(std::span<const double> b, double x) {
  return std::count_if(b.begin(), b.end(), [x](double y) { return y > x; });
}

bool any_nan(std::span<const double> x) {
  return std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
}

// Pairs of equal neighbours in [0, n), where `same` tells whether entry i equals the one before it.
template <class Same>
double tied_pairs(std::size_t n, Same&& same) {
  double pairs = 0;
  double run = 1;
  for (std::size_t i = 1; i < n; ++i) {
    run = same(i) ? run + 1 : 1;
    pairs += run - 1;
  }
  return pairs;
}

// Sorts x and counts the exchanges of neighbours that takes, by merging.
double sort_counting(std::vector<double>& x) {
  std::vector<double> merged(x.size());
  double exchanges = 0;
  for (std::size_t width = 1; width < x.size(); width *= 2) {
    for (std::size_t begin = 0; begin < x.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, x.size()), end = std::min(begin + 2 * width, x.size());
      std::size_t left = begin, right = middle;
      for (std::size_t out = begin; out < end; ++out) {
        if (left < middle && (right == end || x[left] <= x[right])) {
          merged[out] = x[left++];
        } else {
          exchanges += static_cast<double>(middle - left);
          merged[out] = x[right++];
        }
      }
    }
    x.swap(merged);
  }
  return exchanges;
}

// Ranks from 1; equals share the mean of theirs.
std::vector<double> ranks(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&x](std::size_t i, std::size_t j) { return x[i] < x[j]; });
  std::vector<double> ranks(x.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
  }
  return ranks;
}

}  // namespace

bool agrees(std::span<const double> a, std::span<const double> b, double share) {
  assert(a.size() == b.size() && !a.empty());
  const auto at = static_cast<std::size_t>(std::max_element(a.begin(), a.end()) - a.begin());
  return greater_than(b, b[at]) < allowed(b.size(), share);
}

double agreement_by_chance(std::span<const double> b, double share) {
  const std::ptrdiff_t k = allowed(b.size(), share);
  const auto good = std::count_if(b.begin(), b.end(), [&](double x) { return greater_than(b, x) < k; });
  return static_cast<double>(good) / static_cast<double>(b.size());
}

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  const std::size_t n = a.size();
  if (any_nan(a) || any_nan(b)) return nan;
  // Knight's way: in the order of a (and of b among equals), the pairs that b puts the other way round are the
  // exchanges that sort it.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j]; });
  const auto same_a = [&](std::size_t i) { return a[order[i]] == a[order[i - 1]]; };
  const double tied_a = tied_pairs(n, same_a);
  const double tied_both = tied_pairs(n, [&](std::size_t i) { return same_a(i) && b[order[i]] == b[order[i - 1]]; });
  std::vector<double> in_order(n);
  std::transform(order.begin(), order.end(), in_order.begin(), [&b](std::size_t i) { return b[i]; });
  const double discordant = sort_counting(in_order);
  const double tied_b = tied_pairs(n, [&](std::size_t i) { return in_order[i] == in_order[i - 1]; });
  const double pairs = static_cast<double>(n) * (static_cast<double>(n) - 1) / 2;
  if (n < 2 || tied_a == pairs || tied_b == pairs) return nan;
  const double balance = pairs - tied_a - tied_b + tied_both - 2 * discordant;
  return balance / std::sqrt(pairs - tied_a) / std::sqrt(pairs - tied_b);
}

double spearman_rho(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  if (any_nan(a) || any_nan(b)) return nan;
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double middle = (static_cast<double>(a.size()) + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx) / std::sqrt(yy) : nan;
}

Estimate bootstrap_mean(std::span<const double> values, std::uint64_t seed, int draws, double level) {
  std::vector<double> there;
  std::copy_if(values.begin(), values.end(), std::back_inserter(there), [](double x) { return !std::isnan(x); });
  return bootstrap_ratio(there, std::vector<double>(there.size(), 1.0), seed, draws, level);
}

Estimate bootstrap_ratio(std::span<const double> sums, std::span<const double> counts, std::uint64_t seed, int draws,
                         double level) {
  assert(draws > 0 && sums.size() == counts.size());
  const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (count == 0) return {nan, nan, nan};
  std::vector<double> means(static_cast<std::size_t>(draws));
  for (std::size_t draw = 0; draw < means.size(); ++draw) {
    Stream stream(seed, "bootstrap", draw);
    double sum = 0, n = 0;
    while (n == 0)  // examples that have nothing do not make a sample
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t drawn = stream.integer(sums.size());
        sum += sums[drawn];
        n += counts[drawn];
      }
    means[draw] = sum / n;
  }
  std::sort(means.begin(), means.end());
  const auto quantile = [&means](double q) {
    const double at = q * static_cast<double>(means.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, means.size() - 1);
    return means[below] + (at - static_cast<double>(below)) * (means[above] - means[below]);
  };
  return {std::accumulate(sums.begin(), sums.end(), 0.0) / count, quantile((1 - level) / 2), quantile((1 + level) / 2)};
}

}  // namespace fovea
