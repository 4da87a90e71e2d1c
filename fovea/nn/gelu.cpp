#include "fovea/nn/gelu.h"

#include <cassert>
#include <cmath>

#include "fovea/nn/simd/gelu_kernels.h"

namespace fovea {

namespace {

constexpr double root = 0.79788456080286535588, cubic = 0.044715;  // √(2/π)
constexpr std::ptrdiff_t grain = 1 << 13;

// Doubles as the equations stand; floats by kernels.
void gelu_part(const float* x, float* t, float* y, std::size_t n) { gelu_kernels::gelu(x, t, y, n); }
void gelu_part(const double* x, double* t, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    t[i] = std::tanh(root * (x[i] + cubic * x[i] * x[i] * x[i]));
    y[i] = x[i] * (1 + t[i]) / 2;
  }
}

void backward_part(const float* x, const float* t, const float* dy, float* dx, std::size_t n) {
  gelu_kernels::gelu_backward(x, t, dy, dx, n);
}
void backward_part(const double* x, const double* t, const double* dy, double* dx, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = root * (1 + 3 * cubic * x[i] * x[i]);
    dx[i] = dy[i] * ((1 + t[i]) + x[i] * (1 - t[i] * t[i]) * slope) / 2;
  }
}

}  // namespace

template <class T>
void gelu(Team& team, std::span<const T> x, std::span<T> t, std::span<T> y) {
  assert(x.size() == t.size() && x.size() == y.size());
  team.split(static_cast<std::ptrdiff_t>(x.size()), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    gelu_part(x.data() + begin, t.data() + begin, y.data() + begin, static_cast<std::size_t>(end - begin));
  });
}

template <class T>
void gelu_backward(Team& team, std::span<const T> x, std::span<const T> t, std::span<const T> dy, std::span<T> dx) {
  assert(x.size() == t.size() && x.size() == dy.size() && x.size() == dx.size());
  team.split(static_cast<std::ptrdiff_t>(x.size()), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    backward_part(x.data() + begin, t.data() + begin, dy.data() + begin, dx.data() + begin,
                  static_cast<std::size_t>(end - begin));
  });
}

template void gelu(Team&, std::span<const float>, std::span<float>, std::span<float>);
template void gelu(Team&, std::span<const double>, std::span<double>, std::span<double>);
template void gelu_backward(Team&, std::span<const float>, std::span<const float>, std::span<const float>,
                            std::span<float>);
template void gelu_backward(Team&, std::span<const double>, std::span<const double>, std::span<const double>,
                            std::span<double>);

}  // namespace fovea
