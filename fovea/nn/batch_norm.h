// Batch normalisation over rows, as PyTorch's BatchNorm1d, for batches in which some rows may be absent.
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
