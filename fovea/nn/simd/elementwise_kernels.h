// Elementwise loops of the layers, for the instruction set of the processor (room nn/simd). nn/activation.cpp,
// nn/gated_linear.cpp and nn/attention/transformer_block.cpp call them. Arrays have any length. An output may be one
// of the inputs.
#pragma once

#include <cstddef>

namespace fovea::elementwise_kernels {

#define FOVEA_DECLARE(T)                                                                        \
  void leaky_relu(const T* x, T slope, T* y, std::size_t n); /* y = x > 0 ? x : slope x */      \
  /* dx = y > 0 ? dy : slope dy */                                                              \
  void leaky_relu_backward(const T* y, const T* dy, T slope, T* dx, std::size_t n);             \
  void tanh_backward(const T* y, const T* dy, T* dx, std::size_t n);    /* dx = dy (1 - y²) */ \
  void sigmoid_backward(const T* y, const T* dy, T* dx, std::size_t n); /* dx = dy y (1 - y) */ \
  void multiply(const T* a, const T* b, T* out, std::size_t n);         /* out = a b */         \
  void add_product(const T* a, const T* b, T* out, std::size_t n);      /* out += a b */
FOVEA_DECLARE(float)
FOVEA_DECLARE(double)
#undef FOVEA_DECLARE

}  // namespace fovea::elementwise_kernels
