// Batch normalisation over rows, as PyTorch's BatchNorm1d, for batches in which some rows may be absent (room nn).
// The model `bag-attention` alone has it. In training it updates its running statistics. Column by column of x (N,C),
// r over the n rows that are present:
//
//   training:     μ = 1/n Σ_r x_r       v = 1/n Σ_r (x_r - μ)²
//                 running mean ← (1 - m) running mean + m μ                       where n > 0
//                 running variance ← (1 - m) running variance + m v n / (n - 1)   where n > 1
//   evaluation:   μ = running mean      v = running variance
//
//   k = 1 / √(v + ε)      x̂_r = (x_r - μ) k      y_r = w x̂_r + b
//
// Backward:
//
//   db += Σ_r dy_r        dw += Σ_r dy_r x̂_r
//   training:     dx_r = w k (dy_r - 1/n Σ_s dy_s - x̂_r 1/n Σ_s dy_s x̂_s)
//   evaluation:   dx_r = w k dy_r
//
// m is the momentum, ε epsilon. Absent rows: y_r = 0, dx_r = 0. Step by step: nn/reference/batch_norm.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
struct BatchNorm {
  Index width = 0;        // C
  double momentum = 0.1;  // share of the new batch in the running statistics
  double epsilon = 1e-5;
  const Param<T>* weight = nullptr;        // (C), starts at 1
  const Param<T>* bias = nullptr;          // (C), starts at 0
  const Param<T>* running_mean = nullptr;  // (C), of Group::statistics
  const Param<T>* running_var = nullptr;   // (C), the unbiased variance

  static BatchNorm declare(ParameterSet<T>& parameters, const std::string& prefix, Index width,
                           Group group = Group::body);

  // What backward needs of a forward, in the arena; x must still be there.
  struct Trace {
    bool training = false;
    Matrix<const T> x;
    std::span<const std::uint8_t> present;
    Index rows_present = 0;
    Vector<T> mean, inverse_deviation;  // (C) what x was normalised by
    Matrix<T> output;                   // y (N,C)
  };

  // x (N,C) -> y (N,C). `present` (N) says which rows are there; empty: all. Absent rows have no part in any statistic
  // and come out 0. Training normalises by the batch and moves the running statistics (their variance only when two
  // rows or more are there); otherwise the running statistics normalise.
  Trace forward(const Compute& compute, bool training, Matrix<const T> x,
                std::span<const std::uint8_t> present = {}) const;

  // dy (N,C) -> dx (N,C), 0 on absent rows; dx may be dy. Adds into the gradients of weight and bias.
  void backward(const Compute& compute, const Trace& trace, Matrix<const T> dy, Matrix<T> dx) const;
};

}  // namespace fovea
