// The affine map, row by row of x (N,I), with W (O,I) and b (O) (room nn). It writes only its outputs and gradients.
// Other layers and most models contain it:
//
//   y = x Wᵀ + b                                          y (N,O)
//   dx = dy W        dW += dyᵀ x        db += Σ_n dy_n
#pragma once

#include <string>

#include "fovea/math/packed.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

enum class Bias { yes, no };

struct LinearInit {
  Init weight, bias;
};

template <class T>
struct Linear {
  Index in = 0;                      // I
  Index out = 0;                     // O
  const Param<T>* weight = nullptr;  // (O,I)
  const Param<T>* bias = nullptr;    // (O); null where there is none

  static constexpr Index row_share = 64;  // rows of x that a thread works on at a time

  bool learns() const { return weight && weight->learns(); }

  // Adds PREFIX.weight and PREFIX.bias, both U(±1/√I) as PyTorch starts them.
  static Linear declare(ParameterSet<T>& parameters, const std::string& prefix, Index in, Index out,
                        Group group = Group::body, Bias bias = Bias::yes);
  static Linear declare(ParameterSet<T>& parameters, const std::string& prefix, Index in, Index out,
                        const LinearInit& start, Group group, Bias bias);

  // x (N,I) -> y (N,O)
  Matrix<T> forward(Compute& compute, Matrix<const T> x) const;
  void forward_into(Compute& compute, Matrix<const T> x, Matrix<T> y) const;
  void forward_into(Compute& compute, const PackedMatrix<T>& weights, Matrix<const T> x,
                    Matrix<T> y) const;  // Wᵀ packed

  // y = z + x Wᵀ + b with z (N,O), or without z where it is empty. The second is one thread's, of Wᵀ packed.
  void forward_onto(Compute& compute, Matrix<const T> x, Matrix<const T> z, Matrix<T> y) const;
  void rows_onto(const PackedMatrix<T>& weights, Matrix<const T> x, Matrix<const T> z, Matrix<T> y) const;

  // dy (N,O) -> dx (N,I). Adds into the gradients of weight and bias, where they learn.
  Matrix<T> backward(Compute& compute, Matrix<const T> x, Matrix<const T> dy) const;

  // The two halves of backward, for who wants one only, or dx added to what is there.
  void backward_parameters(Compute& compute, Matrix<const T> x, Matrix<const T> dy) const;
  void backward_parameters(Compute& compute, const PackedMatrix<T>& x, Matrix<const T> dy) const;
  void backward_input(Compute& compute, Matrix<const T> dy, Matrix<T> dx, bool add = true) const;

 private:
  Into start(Matrix<T> y) const;  // b in each row of y, and how the product is to go into it
};

// sum (C) += the rows of `in` (N,C), added from the first to the last.
template <class T>
void add_rows(Team& team, Matrix<const T> in, Vector<T> sum);

}  // namespace fovea
