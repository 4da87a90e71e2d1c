#include "fovea/nn/activation.h"

#include <algorithm>
#include <cassert>

#include "fovea/math/vector_math.h"
#include "fovea/nn/simd/elementwise_kernels.h"

namespace fovea {

namespace {

constexpr Index activation_grain = 1 << 14;

}  // namespace

template <class T>
void activate(Team& team, Activation f, std::span<const T> x, std::span<T> y) {
  assert(x.size() == y.size() && f.slope >= 0);
  if (f.kind == Activation::Kind::identity && x.data() == y.data()) return;
  team.split(static_cast<Index>(x.size()), activation_grain, [&](Index begin, Index end) {
    const auto in = x.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const auto out = y.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    switch (f.kind) {
      case Activation::Kind::identity:
        std::copy(in.begin(), in.end(), out.begin());
        break;
      case Activation::Kind::tanh:
        tanh(in, out);
        break;
      case Activation::Kind::relu:
        elementwise_kernels::leaky_relu(in.data(), T{0}, out.data(), in.size());
        break;
      case Activation::Kind::leaky_relu:
        elementwise_kernels::leaky_relu(in.data(), static_cast<T>(f.slope), out.data(), in.size());
        break;
      case Activation::Kind::sigmoid:
        sigmoid(in, out);
        break;
    }
  });
}

template <class T>
void activate_backward(Team& team, Activation f, std::span<const T> y, std::span<const T> dy, std::span<T> dx) {
  assert(y.size() == dy.size() && y.size() == dx.size());
  if (f.kind == Activation::Kind::identity && dy.data() == dx.data()) return;
  team.split(static_cast<Index>(y.size()), activation_grain, [&](Index begin, Index end) {
    const T slope = f.kind == Activation::Kind::leaky_relu ? static_cast<T>(f.slope) : T{0};
    const T* out = y.data() + begin;
    const T* from = dy.data() + begin;
    T* to = dx.data() + begin;
    const auto n = static_cast<std::size_t>(end - begin);
    switch (f.kind) {
      case Activation::Kind::identity:
        std::copy_n(from, n, to);
        break;
      case Activation::Kind::tanh:
        elementwise_kernels::tanh_backward(out, from, to, n);
        break;
      case Activation::Kind::relu:
      case Activation::Kind::leaky_relu:
        elementwise_kernels::leaky_relu_backward(out, from, slope, to, n);
        break;
      case Activation::Kind::sigmoid:
        elementwise_kernels::sigmoid_backward(out, from, to, n);
        break;
    }
  });
}

template void activate(Team&, Activation, std::span<const float>, std::span<float>);
template void activate(Team&, Activation, std::span<const double>, std::span<double>);
template void activate_backward(Team&, Activation, std::span<const float>, std::span<const float>, std::span<float>);
template void activate_backward(Team&, Activation, std::span<const double>, std::span<const double>, std::span<double>);

}  // namespace fovea
