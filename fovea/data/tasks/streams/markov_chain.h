// Random Markov chains: their rows, their stationary law, and steps (room data/tasks/streams). birth.cpp,
// markov_icl.cpp and sink.cpp of this room, and `causal-tree`, draw from them.
//
//   a row of transitions   p ~ Dirichlet(a_1 .. a_k):  p_j = g_j / (g_1 + ... + g_k),  g_j ~ Gamma(a_j)
//   Gamma(1)               -log(1 - U), U uniform in [0, 1)
//   Gamma(a), a > 1        d v, with d = a - 1/3, v = (1 + N / sqrt(9 d))^3, N normal, drawn until v > 0 and
//                          log(1 - U) < N^2 / 2 + d (1 - v + log v)               (Marsaglia and Tsang, 2000)
//   Gamma(a), a < 1        Gamma(a + 1) (1 - U)^(1 / a)
//   at rest                pi = pi P, sum of pi = 1, by elimination without a subtraction
//                          (Grassmann, Taksar and Heyman, 1985)
//   doubly stochastic      rows and columns divided by their sums in turn, rows last (Sinkhorn, 1964)
#pragma once

#include <span>

#include "fovea/base/random.h"

namespace fovea {

double draw_gamma(RandomStream& stream, double shape);

// Probabilities, all above 0, in proportion to Gamma(shapes[j]).
void draw_dirichlet(RandomStream& stream, std::span<const double> shapes, std::span<double> probabilities);

// Index j with probability probabilities[j].
int draw_index(RandomStream& stream, std::span<const double> probabilities);

// The distribution at which `chain` (k, k), all above 0, rests. `scratch` holds k * k numbers.
void find_rest(std::span<const double> chain, std::span<double> rest, std::span<double> scratch);

// Makes the columns of `chain` (k, k), all above 0, sum to 1 within 1e-9 (or as near as 1000 rounds come), with rows
// that sum to 1. `scratch` holds k numbers.
void balance(std::span<double> chain, std::span<double> scratch);

}  // namespace fovea
