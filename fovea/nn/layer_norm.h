// Layer normalisation of each row x_n (C) of x (N,C), as PyTorch's LayerNorm (room nn). It writes only its outputs
// and gradients. The transformer block (nn/attention) has it, and probe/systems/first_layer.h repeats it:
//
//   μ_n = 1/C Σ_c x_nc        k_n = 1 / √(1/C Σ_c (x_nc - μ_n)² + ε)
//   x̂_nc = (x_nc - μ_n) k_n   y_nc = w_c x̂_nc + b_c
//
// Backward, with g_nc = w_c dy_nc:
//
//   db_c += Σ_n dy_nc         dw_c += Σ_n dy_nc x̂_nc
//   dx_nc += k_n (g_nc - 1/C Σ_a g_na - x̂_nc 1/C Σ_a g_na x̂_na)
#pragma once

#include <string>

#include "fovea/nn/compute.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
struct LayerNorm {
  Index width = 0;  // C
  double epsilon = 1e-5;
  const Param<T>* weight = nullptr;  // (C), starts at 1
  const Param<T>* bias = nullptr;    // (C), starts at 0; null where there is none

  static LayerNorm declare(ParameterSet<T>& parameters, const std::string& prefix, Index width, Bias bias = Bias::yes);

  struct Trace {
    Matrix<const T> x;
    Vector<T> mean, inverse_deviation;  // (N) μ and k
    Matrix<T> output;                   // y (N,C)
  };

  Trace forward(Compute& compute, Matrix<const T> x) const;

  // dy (N,C); adds into dx (N,C) and the gradients of weight and bias.
  void backward(Compute& compute, const Trace& trace, Matrix<const T> dy, Matrix<T> dx) const;
};

}  // namespace fovea
