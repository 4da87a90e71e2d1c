// How far two rows of weights agree on what matters: attention with β, with influence, with another
// model's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// 𝒜 of one example: whether fewer than k entries of b are strictly greater than b where a is largest (the first of
// equals); k = ⌈share of the length⌉. a and b are of one length, 1 or more.
bool agrees(std::span<const double> a, std::span<const double> b, double share = 0.05);

// The same with b shuffled, on average over all of its orders: what agreement is by chance.
double agreement_by_chance(std::span<const double> b, double share = 0.05);

// Kendall's τ-b and Spearman's ρ, both with ties. NaN where a or b has no two different entries, or one is NaN.
double kendall_tau(std::span<const double> a, std::span<const double> b);
double spearman_rho(std::span<const double> a, std::span<const double> b);

// The mean over examples and the interval that holds it with probability `level`: percentiles of the means of `draws`
// samples of the examples, drawn with repetition. NaN entries (examples that have no value) do not count.
struct Estimate {
  double mean = 0, low = 0, high = 0;
};
Estimate bootstrap_mean(std::span<const double> values, std::uint64_t seed, int draws = 1000, double level = 0.95);
// The same of a mean over what the examples have several of (target words): the sum over each example and how many it
// has. Examples are drawn whole.
Estimate bootstrap_ratio(std::span<const double> sums, std::span<const double> counts, std::uint64_t seed,
                         int draws = 1000, double level = 0.95);

}  // namespace fovea
