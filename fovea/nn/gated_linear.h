// The affine map of an input whose features are weighted (room nn). It writes only its outputs and gradients. The
// model `feature-attention` alone has it. It is for inputs so wide that they should be read once forward and once
// backward. x (N,I), W (O,I), b (O), g a constant, w (I) for all rows or (N,I), ⊙ feature by feature:
//
//   y = g (w ⊙ x) Wᵀ + b                                                      y (N,O)
//   dW += g dyᵀ (w ⊙ x)        db += Σ_n dy_n        dw_n = g (dy_n W) ⊙ x_n
//
// If all rows share w, its gradient is the sum of dw_n over them. There is no gradient of x.
//
// The work is divided along the features. Weights that all rows share are folded into W, piece by piece. w ⊙ x is
// never formed, and the gradient of w follows from that of W.
#pragma once

#include <string>

#include "fovea/math/matmul.h"
#include "fovea/nn/linear.h"

namespace fovea {

template <class T>
struct GatedLinear {
  Linear<T> linear;
  T gain = 1;  // g

  static GatedLinear declare(ParameterSet<T>& parameters, const std::string& prefix, Index in, Index out,
                             Group group = Group::body) {
    return {Linear<T>::declare(parameters, prefix, in, out, group)};
  }

  // x (N,I), w (1,I) for all rows, (N,I) row by row, or empty for no weights -> y (N,O)
  Matrix<T> forward(Compute& compute, Operand<T> x, Matrix<const T> w) const;

  // dy (N,O) -> dw, of w's shape, overwritten; without data it is not wanted. Adds into the gradients of W and b.
  void backward(Compute& compute, Operand<T> x, Matrix<const T> w, Matrix<const T> dy, Matrix<T> dw) const;
};

}  // namespace fovea
