// Kernels of GELU in float, for the instruction set of the processor (room nn/simd). They write only the given
// arrays. nn/gelu.cpp alone calls them. Arrays have any length; dx may be dy.
#pragma once

#include <cstddef>

namespace fovea::gelu_kernels {

void gelu(const float* x, float* t, float* y, std::size_t n);
void gelu_backward(const float* x, const float* t, const float* dy, float* dx, std::size_t n);

}  // namespace fovea::gelu_kernels
