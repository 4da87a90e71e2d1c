// Affine layers with a nonlinearity between them.
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
