#include "fovea/nn/gelu.h"

#include <cassert>

#include "fovea/base/functions/functions.h"
#include "fovea/nn/simd/gelu_kernels.h"

namespace fovea {

namespace {

constexpr double root = 0.79788456080286535588, cubic = 0.044715;  // √(2/π)

}  // namespace

// Floats by kernels, doubles as the equations stand.
template <>
void gelu(std::span<const float> x, std::span<float> t, std::span<float> y) {
  assert(x.size() == t.size() && x.size() == y.size());
  gelu_kernels::gelu(x.data(), t.data(), y.data(), x.size());
}
template <>
void gelu(std::span<const double> x, std::span<double> t, std::span<double> y) {
  assert(x.size() == t.size() && x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    t[i] = math::tanh(root * (x[i] + cubic * x[i] * x[i] * x[i]));
    y[i] = x[i] * (1 + t[i]) / 2;
  }
}

template <>
void gelu_backward(std::span<const float> x, std::span<const float> t, std::span<const float> dy, std::span<float> dx) {
  assert(x.size() == t.size() && x.size() == dy.size() && x.size() == dx.size());
  gelu_kernels::gelu_backward(x.data(), t.data(), dy.data(), dx.data(), x.size());
}
template <>
void gelu_backward(std::span<const double> x, std::span<const double> t, std::span<const double> dy,
                   std::span<double> dx) {
  assert(x.size() == t.size() && x.size() == dy.size() && x.size() == dx.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double slope = root * (1 + 3 * cubic * x[i] * x[i]);
    dx[i] = dy[i] * ((1 + t[i]) + x[i] * (1 - t[i] * t[i]) * slope) / 2;
  }
}

}  // namespace fovea
