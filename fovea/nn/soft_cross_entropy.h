// Cross-entropy whose answers are distributions (room nn). Over the n rows r that count, of logits z (N,C) and
// answers y (N,C), each with sum 1:
//
//   p_rc = exp(z_rc) / Σ_k exp(z_rk)        L = -1/n Σ_r Σ_c y_rc log p_rc        dz_rc = (p_rc - y_rc) / n
#pragma once

#include <span>

#include "fovea/nn/compute.h"

namespace fovea {

// A row counts if its entry of `counts` is 0 or more. `gradient` is overwritten, with 0 on rows that do not count; an
// empty one is not wanted.
template <class T>
double soft_cross_entropy(const Compute& compute, Matrix<const T> logits, std::span<const int> counts,
                          Matrix<const float> truth, Matrix<T> gradient);

}  // namespace fovea
