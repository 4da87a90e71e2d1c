// Reference equations of batch normalisation (room nn/reference). Only tests call them, to check nn/batch_norm.h. In
// training, batch_norm() updates the running statistics.
//
// Batch normalisation, as PyTorch's nn.BatchNorm1d computes it, over the n of N rows that are present. Column by
// column, x (N,C):
//
//   training:    μ = 1/n Σ_r x_r                     v = 1/n Σ_r (x_r - μ)²                          (C)
//                running mean ← (1 - m) running mean + m μ                      where n > 0
//                running variance ← (1 - m) running variance + m v n/(n-1)      where n > 1
//   evaluation:  μ = running mean                    v = running variance
//
//   k = 1/√(v + ε)       x̂_r = (x_r - μ) k           y_r = w x̂_r + b             absent rows: y_r = 0
//
// Backward, from dy (N,C), r over the rows present; absent rows: dx_r = 0:
//
//   db += Σ_r dy_r       dw += Σ_r dy_r x̂_r          dx̂_r = dy_r w
//   evaluation:  dx_r = dx̂_r k
//   training:    dk = Σ_r dx̂_r (x_r - μ)             dv = -½ k³ dk
//                dμ = -k Σ_r dx̂_r - 2/n dv Σ_r (x_r - μ)
//                dx_r = dx̂_r k + 2/n (x_r - μ) dv + dμ/n
#pragma once

#include <cstdint>
#include <span>

#include "fovea/nn/reference/array.h"

namespace fovea::reference {

struct BatchNorm {
  double momentum = 0.1;               // m
  double epsilon = 1e-5;               // ε
  Array<1> weight, bias;               // w, b (C), or their gradients
  Array<1> running_mean, running_var;  // (C)
};

// What a forward used: all that backward needs.
struct Normalised {
  bool training = false;
  std::span<const std::uint8_t> present;  // (N) 1 or 0
  Array<2> x, y;                          // (N,C)
  Array<1> mean, inverse_deviation;       // μ, k (C)
};

Normalised batch_norm(BatchNorm& norm, bool training, const Array<2>& x, std::span<const std::uint8_t> present);

// -> dx (N,C). Adds into the weight and bias of d_norm.
Array<2> batch_norm_backward(const BatchNorm& norm, const Normalised& forward, const Array<2>& dy, BatchNorm& d_norm);

}  // namespace fovea::reference
