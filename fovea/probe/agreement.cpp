#include "fovea/probe/agreement.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/base/statistics.h"

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
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double middle = (static_cast<double>(a.size()) + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx) / std::sqrt(yy) : nan;
}

}  // namespace fovea
