#include "fovea/nn/layer_norm.h"

#include <cassert>
#include <cmath>

#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr Index rows_grain = 64;  // rows whose parts of dw and db are summed before they meet those of others

// Σ_c term(c), in sixteen sums side by side, so that the compiler can use vectors and the order is always the same.
template <class T, class Term>
T sum_of(Index count, Term term) {
  constexpr Index lanes = 16;
  T sums[lanes] = {};
  Index c = 0;
  for (; c + lanes <= count; c += lanes)
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += term(c + lane);
  for (; c < count; ++c) sums[0] += term(c);
  for (Index half = lanes / 2; half > 0; half /= 2)
    for (Index lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

}  // namespace

template <class T>
LayerNorm<T> LayerNorm<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index width, Bias bias) {
  LayerNorm norm;
  norm.width = width;
  norm.weight = &parameters.add(under(prefix, "weight"), {width}, Init::constant(1));
  if (bias == Bias::yes) norm.bias = &parameters.add(under(prefix, "bias"), {width}, Init::constant(0));
  return norm;
}

template <class T>
typename LayerNorm<T>::Trace LayerNorm<T>::forward(Compute& compute, Matrix<const T> x) const {
  assert(x.size(1) == width);
  const Index N = x.size(0);
  Trace trace{x, compute.array<T>(N), compute.array<T>(N), compute.array<T>(N, width)};
  compute.team.split(N, rows_grain, [&](Index begin, Index end) {
    const T share = T{1} / static_cast<T>(width);
    const T *const w = weight->value, *const b = bias ? bias->value : nullptr;
    for (Index n = begin; n < end; ++n) {
      const T* const row = x[n].data();
      T* const y = trace.output[n].data();
      const T mean = share * sum_of<T>(width, [&](Index c) { return row[c]; });
      const T variance = share * sum_of<T>(width, [&](Index c) { return (row[c] - mean) * (row[c] - mean); });
      const T k = T{1} / std::sqrt(variance + static_cast<T>(epsilon));
      if (b)
        for (Index c = 0; c < width; ++c) y[c] = w[c] * ((row[c] - mean) * k) + b[c];
      else
        for (Index c = 0; c < width; ++c) y[c] = w[c] * ((row[c] - mean) * k);
      trace.mean(n) = mean;
      trace.inverse_deviation(n) = k;
    }
  });
  return trace;
}

template <class T>
void LayerNorm<T>::backward(Compute& compute, const Trace& trace, Matrix<const T> dy, Matrix<T> dx) const {
  const Index N = dy.size(0), parts = (N + rows_grain - 1) / rows_grain;
  const Cube<T> sums = compute.zeros<T>(parts, 2, width);  // of dw and db
  compute.team.split(N, rows_grain, [&](Index begin, Index end) {
    T *const dw = sums[begin / rows_grain][0].data(), *const db = sums[begin / rows_grain][1].data();
    const T share = T{1} / static_cast<T>(width);
    const T* const w = weight->value;
    for (Index n = begin; n < end; ++n) {
      const T *const row = trace.x[n].data(), *const d = dy[n].data();
      T* const to = dx[n].data();
      const T mean = trace.mean(n), k = trace.inverse_deviation(n);
      const T along = share * sum_of<T>(width, [&](Index c) { return w[c] * d[c]; });
      const T turned = share * sum_of<T>(width, [&](Index c) { return w[c] * d[c] * ((row[c] - mean) * k); });
      for (Index c = 0; c < width; ++c) {
        const T normal = (row[c] - mean) * k;
        dw[c] += d[c] * normal;
        db[c] += d[c];
        to[c] += k * (w[c] * d[c] - along - normal * turned);
      }
    }
  });
  if (!compute.trains()) return;
  for (Index part = 0; part < parts; ++part) {
    if (weight->learns()) add_scaled(T{1}, std::span<const T>(sums[part][0].flat()), weight->gradients());
    if (bias && bias->learns()) add_scaled(T{1}, std::span<const T>(sums[part][1].flat()), bias->gradients());
  }
}

template struct LayerNorm<float>;
template struct LayerNorm<double>;

}  // namespace fovea
