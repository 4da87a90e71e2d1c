// Reference equations of GELU (room nn/reference). transformer_block.cpp of this room and tests call them, to check
// nn/gelu.h.
//
// The Gaussian error linear unit, as PyTorch's nn.GELU(approximate="tanh") computes it, of one number, with c =
// √(2/π):
//
//   u = c (x + 0.044715 x³)       t = tanh(u)       y = ½ x (1 + t)
//
// Backward, from dy:
//
//   dt = ½ x dy        du = dt (1 - t²)        dx = ½ (1 + t) dy + du c (1 + 3 · 0.044715 x²)
#pragma once

#include <cmath>
#include <numbers>

namespace fovea::reference {

inline double gelu_tanh(double x) { return std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)); }

inline double gelu(double x) { return 0.5 * x * (1 + gelu_tanh(x)); }

inline double gelu_backward(double x, double dy) {
  const double t = gelu_tanh(x);
  const double du = 0.5 * x * dy * (1 - t * t);
  return 0.5 * (1 + t) * dy + du * std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
}

}  // namespace fovea::reference
