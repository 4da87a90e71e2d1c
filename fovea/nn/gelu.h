// The Gaussian error linear unit, as PyTorch's GELU(approximate="tanh"), elementwise (room nn). It writes only its
// outputs and gradients. nn/attention/transformer_block.cpp alone calls it. With c = √(2/π):
//
//   u = c (x + 0.044715 x³)       t = tanh(u)       y = x (1 + t) / 2
//   dx = dy ((1 + t) / 2 + x (1 - t²) c (1 + 3 · 0.044715 x²) / 2)
#pragma once

#include <span>

namespace fovea {

// All of one length; t is what backward needs beside x.
template <class T>
void gelu(std::span<const T> x, std::span<T> t, std::span<T> y);

// dx may be dy.
template <class T>
void gelu_backward(std::span<const T> x, std::span<const T> t, std::span<const T> dy, std::span<T> dx);

}  // namespace fovea
