// The direction of an attention map after long descent by a logistic loss (room theory/exact). Pure functions. The
// probe `max-margin` compares a model with it. Of sequences i with tokens x_it, a query z_i and one token c_i chosen
// in each, the hard-margin solution is the smallest map that separates the chosen tokens from the others:
//
//   W* = argmin |W|_F    with  (x_i,c_i - x_it)' W z_i >= 1  for all i and t other than c_i
//
// Its dual has a weight a_k >= 0 for each constraint F_k = (x_i,c_i - x_it) z_i', and W* = sum_k a_k F_k. It is found
// by coordinate ascent: a_k <- max(0, a_k + (1 - F_k . W) / |F_k|^2). Descent with normalised steps goes to infinity
// along W* of the tokens that it has chosen. (D. A. Tarzanagh, Y. Li, C. Thrampoulidis, S. Oymak, Transformers as
// Support Vector Machines, 2023.)
#pragma once

#include <span>
#include <vector>

#include "fovea/data/batch.h"

namespace fovea {

struct MarginSolution {
  std::vector<double> map;  // W* (d,d), row by row
  double margin = 0;        // the least of all constraints: 1 where they can be met
  int support = 0;          // constraints with a weight above 0
};

// Of a batch of task `max-margin`, and a token for each of its sequences.
MarginSolution max_margin(const Batch& batch, std::span<const int> chosen);

// Minus the gradient of the loss at W = 0: where the first step goes.
std::vector<double> first_step(const Batch& batch);

// The token of each sequence that speaks most for its label.
std::vector<int> best_tokens(const Batch& batch);

double cosine_of(std::span<const double> a, std::span<const double> b);

// (Σ s)² / Σ s² of the singular values s of a square matrix: 1 to its size.
double effective_rank(std::span<const double> matrix);

}  // namespace fovea
