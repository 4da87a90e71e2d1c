#include "fovea/nn/layer_norm.h"

#include <cassert>
#include <cmath>

#include "fovea/math/vector_math.h"
#include "fovea/nn/simd/layer_norm_rows.h"

namespace fovea {

namespace {

constexpr Index rows_per_part = 64;  // rows whose parts of dw and db are summed before they meet those of others

// Rows [begin, end), of the layer's equations as they stand; floats by a kernel.
void forward_rows(const LayerNorm<double>& norm, const LayerNorm<double>::Trace& trace, Index begin, Index end) {
  const double *const w = norm.weight->value, *const b = norm.bias ? norm.bias->value : nullptr;
  for (Index n = begin; n < end; ++n) {
    const double* const row = trace.x[n].data();
    double sum = 0, squares = 0;
    for (Index c = 0; c < norm.width; ++c) sum += row[c];
    const double mean = sum / static_cast<double>(norm.width);
    for (Index c = 0; c < norm.width; ++c) squares += (row[c] - mean) * (row[c] - mean);
    const double k = 1 / std::sqrt(squares / static_cast<double>(norm.width) + norm.epsilon);
    for (Index c = 0; c < norm.width; ++c) trace.output(n, c) = w[c] * ((row[c] - mean) * k) + (b ? b[c] : 0);
    trace.mean(n) = mean;
    trace.inverse_deviation(n) = k;
  }
}

void forward_rows(const LayerNorm<float>& norm, const LayerNorm<float>::Trace& trace, Index begin, Index end) {
  layer_norm_rows::forward({trace.x[begin].data(), end - begin, norm.width, norm.weight->value,
                            norm.bias ? norm.bias->value : nullptr, static_cast<float>(norm.epsilon),
                            trace.output[begin].data(), &trace.mean(begin), &trace.inverse_deviation(begin)});
}

// The same of backward, for rows of x, dy and dx.
void backward_rows(const LayerNorm<double>& norm, const LayerNorm<double>::Trace& trace, Index begin, Index end,
                   Matrix<const double> dy, Matrix<double> dx, double* dw, double* db) {
  const double* const w = norm.weight->value;
  for (Index n = begin; n < end; ++n) {
    const double *const row = trace.x[n].data(), *const d = dy[n].data();
    const double mean = trace.mean(n), k = trace.inverse_deviation(n);
    double along = 0, turned = 0;
    for (Index c = 0; c < norm.width; ++c) {
      along += w[c] * d[c];
      turned += w[c] * d[c] * ((row[c] - mean) * k);
    }
    along /= static_cast<double>(norm.width);
    turned /= static_cast<double>(norm.width);
    for (Index c = 0; c < norm.width; ++c) {
      const double normal = (row[c] - mean) * k;
      dw[c] += d[c] * normal;
      db[c] += d[c];
      dx(n, c) += k * (w[c] * d[c] - along - normal * turned);
    }
  }
}

void backward_rows(const LayerNorm<float>& norm, const LayerNorm<float>::Trace& trace, Index begin, Index end,
                   Matrix<const float> dy, Matrix<float> dx, float* dw, float* db) {
  layer_norm_rows::backward({trace.x[begin].data(), dy[begin].data(), end - begin, norm.width, norm.weight->value,
                             &trace.mean(begin), &trace.inverse_deviation(begin), dx[begin].data(), dw, db});
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
  compute.team.split(N, rows_per_part, [&](Index begin, Index end) { forward_rows(*this, trace, begin, end); });
  return trace;
}

template <class T>
void LayerNorm<T>::backward(Compute& compute, const Trace& trace, Matrix<const T> dy, Matrix<T> dx) const {
  const Index N = dy.size(0), parts = (N + rows_per_part - 1) / rows_per_part;
  const Cube<T> sums = compute.zeros<T>(parts, 2, width);  // of dw and db
  compute.team.split(N, rows_per_part, [&](Index begin, Index end) {
    const Matrix<T> part = sums[begin / rows_per_part];
    backward_rows(*this, trace, begin, end, dy, dx, part[0].data(), part[1].data());
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
