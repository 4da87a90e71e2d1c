#include "fovea/base/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>

#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"

namespace fovea {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double z = 1.959963984540054;  // of a normal variable, 0.95 lie within z

double quantile_in_order(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  // Equal neighbours may be infinite, and between them is no difference.
  if (rest == 0 || below + 1 == sorted.size() || sorted[below] == sorted[below + 1]) return sorted[below];
  return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n,
               mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : nan;
}

}  // namespace

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
  }
  return ranks;
}

double quantile_of(std::vector<double> values, double share) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  if (values.empty()) return nan;
  std::sort(values.begin(), values.end());
  return quantile_in_order(values, share);
}

double median_of(std::vector<double> values) { return quantile_of(std::move(values), 0.5); }

double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return nan;
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / (n - 1));
}

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  return correlation(ranks_of(x), ranks_of(y));
}

double log_slope(std::span<const double> x, std::span<const double> y) {
  if (std::ranges::find(y, std::numeric_limits<double>::infinity()) != y.end())
    return std::numeric_limits<double>::infinity();
  const double n = static_cast<double>(x.size());
  double mean = 0, over = 0, under = 0;
  for (const double value : x) mean += math::log(value) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    over += (math::log(x[i]) - mean) * math::log(y[i]);
    under += (math::log(x[i]) - mean) * (math::log(x[i]) - mean);
  }
  return under > 0 ? over / under : nan;
}

Estimate bootstrap_mean(std::span<const double> values, std::uint64_t seed, int draws, double level) {
  std::vector<double> there;
  std::copy_if(values.begin(), values.end(), std::back_inserter(there), [](double x) { return !std::isnan(x); });
  return bootstrap_ratio(there, std::vector<double>(there.size(), 1.0), seed, draws, level);
}

Estimate mean_interval(std::span<const double> values, std::uint64_t seed, int draws) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < fewest_resampled) return {mean, nan, nan};
  if (values.size() <= most_resampled) return bootstrap_mean(values, seed, draws);
  const double half = z * deviation_of(values) / std::sqrt(n);
  return {mean, mean - half, mean + half};
}

Estimate bootstrap_ratio(std::span<const double> sums, std::span<const double> counts, std::uint64_t seed, int draws,
                         double level) {
  assert(draws > 0 && sums.size() == counts.size());
  const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (count == 0) return {nan, nan, nan};
  std::vector<double> means(static_cast<std::size_t>(draws));
  for (std::size_t draw = 0; draw < means.size(); ++draw) {
    RandomStream stream(seed, "bootstrap", draw);
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
  return {std::accumulate(sums.begin(), sums.end(), 0.0) / count, quantile_in_order(means, (1 - level) / 2),
          quantile_in_order(means, (1 + level) / 2)};
}

Estimate share_interval(std::int64_t holding, std::int64_t all) {
  if (all == 0) return {nan, nan, nan};
  const double n = static_cast<double>(all), share = static_cast<double>(holding) / n;
  const double shrink = 1 / (1 + z * z / n), middle = (share + z * z / (2 * n)) * shrink;
  const double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n)) * shrink;
  // At the ends rounding would leave a trace.
  return {share, holding == 0 ? 0 : middle - half, holding == all ? 1 : middle + half};
}

}  // namespace fovea
