// Ranks, quantiles, rank correlation and intervals of small samples (room base). Claims, comparisons, probes, the
// benchmark and the server call it. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// Ranks from 1; equal values share the mean of theirs. None is NaN.
std::vector<double> ranks_of(std::span<const double> values);

// Quantiles interpolate linearly between neighbours in order; `share` is 0 to 1. Infinity is
// larger than every number, so that the median of "never" stays "never". NaN entries do not count; where there is
// nothing else, NaN.
double quantile_of(std::vector<double> values, double share);
double median_of(std::vector<double> values);

// The root of the mean square around the mean, over n - 1; NaN of fewer than two.
double deviation_of(std::span<const double> values);

// Spearman's: the correlation of the ranks. NaN where either has no two different values.
double rank_correlation(std::span<const double> x, std::span<const double> y);

// The slope of log y over log x by least squares: the exponent of y ~ x^e. Infinity where a y is infinite, NaN where
// a number is not above 0 or x has no two different values.
double log_slope(std::span<const double> x, std::span<const double> y);

// The mean over examples and the interval that holds it with probability `level`: percentiles of the means of `draws`
// samples of the examples, drawn with repetition. NaN entries (examples that have no value) do not count.
struct Estimate {
  double mean = 0, low = 0, high = 0;
};
Estimate bootstrap_mean(std::span<const double> values, std::uint64_t seed, int draws = 1000, double level = 0.95);
// The same for any number of values. Below `fewest_resampled` the interval is NaN: percentiles of the means of so few
// are their least and largest value, and contain the mean less often than `level`. Above `most_resampled` it is by the
// normal distribution, from the deviation of the values, so that the cost does not grow with draws times values.
inline constexpr std::size_t fewest_resampled = 6, most_resampled = 10'000;
Estimate mean_interval(std::span<const double> values, std::uint64_t seed, int draws = 1000);
// The same of a mean over what the examples have several of (target words): the sum over each example and how many it
// has. Examples are drawn whole.
Estimate bootstrap_ratio(std::span<const double> sums, std::span<const double> counts, std::uint64_t seed,
                         int draws = 1000, double level = 0.95);

// A share of which `holding` of `all` were seen, and the interval that holds the true one with probability 0.95
// (Wilson 1927): one of some width where none or all hold, too. NaN of none.
Estimate share_interval(std::int64_t holding, std::int64_t all);

}  // namespace fovea
