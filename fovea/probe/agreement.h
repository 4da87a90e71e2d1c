// How far two rows of weights agree on their largest entries: attention with β, with influence, with another model's
// (room probe). lab/analysis/measurement.cpp and the Python package call it. Pure functions.
#pragma once

#include <span>

namespace fovea {

// 𝒜 of one example: whether fewer than k entries of b are strictly greater than b where a is largest (the first of
// equals); k = ⌈share of the length⌉. a and b are of one length, 1 or more.
bool agrees(std::span<const double> a, std::span<const double> b, double share = 0.05);

// The same with b shuffled, on average over all of its orders: what agreement is by chance.
double agreement_by_chance(std::span<const double> b, double share = 0.05);

// Kendall's τ-b and Spearman's ρ, both with ties. NaN where a or b has no two different entries, or one is NaN.
double kendall_tau(std::span<const double> a, std::span<const double> b);
double spearman_rho(std::span<const double> a, std::span<const double> b);

}  // namespace fovea
