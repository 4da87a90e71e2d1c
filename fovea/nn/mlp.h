// Affine layers with a nonlinearity f between them, and one after the last if wanted (room nn). It writes only its
// outputs and gradients. The models `bag-attention` and `feature-attention` have it. With x_0 = x (N,I), layer l of
// K:
//
//   a_l = x_{l-1} W_lᵀ + b_l           x_l = f(a_l), x_K = a_K unless activate_last        y = x_K (N,O)
//   da_l = dx_l f'(a_l), da_K = dy unless activate_last
//   dW_l += da_lᵀ x_{l-1}              db_l += Σ_n da_l,n        dx_{l-1} = da_l W_l
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/nn/activation.h"
#include "fovea/nn/linear.h"

namespace fovea {

template <class T>
struct Mlp {
  std::vector<Linear<T>> layers;
  Activation between;
  bool activate_last = false;

  // sizes I, …, O (two or more) make PREFIX.first, PREFIX.first+1, …
  static Mlp declare(ParameterSet<T>& parameters, const std::string& prefix, const std::vector<Index>& sizes,
                     Activation between, bool activate_last, int first = 0, Group group = Group::body);

  // What backward needs of a forward, in the arena; x must still be there.
  struct Trace {
    Matrix<const T> x;                                     // (N,I)
    std::span<const Matrix<T>> activated;                  // what each layer gave
    Matrix<T> output() const { return activated.back(); }  // y (N,O)
    Matrix<const T> input(std::size_t layer) const { return layer == 0 ? x : activated[layer - 1]; }
  };

  Trace forward(Compute& compute, Matrix<const T> x) const;

  // dy (N,O) -> dx (N,I); no dx (empty) where it is not wanted. Uses dy up: it holds something else afterwards.
  enum class Wants { input_gradient, parameters_only };
  Matrix<T> backward(Compute& compute, const Trace& trace, Matrix<T> dy, Wants wants) const;
};

}  // namespace fovea
