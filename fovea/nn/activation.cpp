#include "fovea/nn/activation.h"

#include <algorithm>
#include <cassert>

#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr Index grain = 1 << 14;

template <class T>
void leaky_relu(std::span<const T> x, T slope, std::span<T> y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

}  // namespace

template <class T>
void activate(Team& team, Activation f, std::span<const T> x, std::span<T> y) {
  assert(x.size() == y.size() && f.slope >= 0);
  if (f.kind == Activation::Kind::identity && x.data() == y.data()) return;
  team.split(static_cast<Index>(x.size()), grain, [&](Index begin, Index end) {
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
        leaky_relu(in, T{0}, out);
        break;
      case Activation::Kind::leaky_relu:
        leaky_relu(in, static_cast<T>(f.slope), out);
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
  team.split(static_cast<Index>(y.size()), grain, [&](Index begin, Index end) {
    const T slope = f.kind == Activation::Kind::leaky_relu ? static_cast<T>(f.slope) : T{0};
    const T* out = y.data();
    const T* from = dy.data();
    T* to = dx.data();
    switch (f.kind) {
      case Activation::Kind::identity:
        std::copy(from + begin, from + end, to + begin);
        break;
      case Activation::Kind::tanh:
        for (Index i = begin; i < end; ++i) to[i] = from[i] * (1 - out[i] * out[i]);
        break;
      case Activation::Kind::relu:
      case Activation::Kind::leaky_relu:
        for (Index i = begin; i < end; ++i) to[i] = out[i] > 0 ? from[i] : slope * from[i];
        break;
      case Activation::Kind::sigmoid:
        for (Index i = begin; i < end; ++i) to[i] = from[i] * out[i] * (1 - out[i]);
        break;
    }
  });
}

template void activate(Team&, Activation, std::span<const float>, std::span<float>);
template void activate(Team&, Activation, std::span<const double>, std::span<double>);
template void activate_backward(Team&, Activation, std::span<const float>, std::span<const float>, std::span<float>);
template void activate_backward(Team&, Activation, std::span<const double>, std::span<const double>, std::span<double>);

}  // namespace fovea
