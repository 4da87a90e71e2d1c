#include "fovea/nn/gelu.h"

#include <cassert>

#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr double root = 0.79788456080286535588, cubic = 0.044715;  // √(2/π)
constexpr std::ptrdiff_t grain = 1 << 13;

}  // namespace

template <class T>
void gelu(Team& team, std::span<const T> x, std::span<T> t, std::span<T> y) {
  assert(x.size() == t.size() && x.size() == y.size());
  constexpr T c = static_cast<T>(root), third = static_cast<T>(cubic);
  team.split(static_cast<std::ptrdiff_t>(x.size()), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      const T at = x.data()[i];
      t.data()[i] = c * (at + third * at * at * at);
    }
    const std::span<T> part(t.data() + begin, static_cast<std::size_t>(end - begin));
    tanh(std::span<const T>(part), part);
    for (std::ptrdiff_t i = begin; i < end; ++i) y.data()[i] = x.data()[i] * (T{1} + t.data()[i]) * T(0.5);
  });
}

template <class T>
void gelu_backward(Team& team, std::span<const T> x, std::span<const T> t, std::span<const T> dy, std::span<T> dx) {
  assert(x.size() == t.size() && x.size() == dy.size() && x.size() == dx.size());
  constexpr T c = static_cast<T>(root), third = static_cast<T>(cubic);
  team.split(static_cast<std::ptrdiff_t>(x.size()), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      const T at = x.data()[i], tanh_u = t.data()[i];
      const T slope = c * (T{1} + T{3} * third * at * at);
      dx.data()[i] = dy.data()[i] * T(0.5) * ((T{1} + tanh_u) + at * (T{1} - tanh_u * tanh_u) * slope);
    }
  });
}

template void gelu(Team&, std::span<const float>, std::span<float>, std::span<float>);
template void gelu(Team&, std::span<const double>, std::span<double>, std::span<double>);
template void gelu_backward(Team&, std::span<const float>, std::span<const float>, std::span<const float>,
                            std::span<float>);
template void gelu_backward(Team&, std::span<const double>, std::span<const double>, std::span<const double>,
                            std::span<double>);

}  // namespace fovea
