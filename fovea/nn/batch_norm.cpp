#include "fovea/nn/batch_norm.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace fovea {

namespace {

constexpr Index batch_norm_grain = 64;  // columns a piece: their sums stay in the first-level cache

using Sums = std::array<double, batch_norm_grain>;

}  // namespace

template <class T>
BatchNorm<T> BatchNorm<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index width, Group group) {
  BatchNorm norm;
  norm.width = width;
  norm.weight = &parameters.add(under(prefix, "weight"), {width}, Init::constant(1), group);
  norm.bias = &parameters.add(under(prefix, "bias"), {width}, Init::constant(0), group);
  norm.running_mean = &parameters.add(under(prefix, "running_mean"), {width}, Init::constant(0), Group::statistics);
  norm.running_var = &parameters.add(under(prefix, "running_var"), {width}, Init::constant(1), Group::statistics);
  return norm;
}

template <class T>
typename BatchNorm<T>::Trace BatchNorm<T>::forward(const Compute& compute, bool training, Matrix<const T> x,
                                                   std::span<const std::uint8_t> present) const {
  const Index rows = x.size(0);
  assert(x.size(1) == width && (present.empty() || static_cast<Index>(present.size()) == rows));
  const Matrix<T> y = compute.array<T>(rows, width);
  const Index rows_present =
      present.empty() ? rows : std::count_if(present.begin(), present.end(), [](auto p) { return p != 0; });
  const Trace trace{training, x, present, rows_present, compute.array<T>(width), compute.array<T>(width), y};
  const double share = 1.0 / static_cast<double>(std::max<Index>(rows_present, 1));
  const auto there = [&](Index n) { return present.empty() || present[static_cast<std::size_t>(n)] != 0; };

  compute.team.split(width, batch_norm_grain, [&](Index begin, Index end) {
    T* const mean = trace.mean.data();
    T* const inverse = trace.inverse_deviation.data();
    const std::size_t columns = static_cast<std::size_t>(end - begin);
    if (training) {
      Sums sum{}, square{};
      for (Index n = 0; n < rows; ++n) {
        if (!there(n)) continue;
        const T* const row = x.data() + n * width + begin;
        for (std::size_t c = 0; c < columns; ++c) sum[c] += static_cast<double>(row[c]);
      }
      for (double& s : sum) s *= share;
      for (Index n = 0; n < rows; ++n) {
        if (!there(n)) continue;
        const T* const row = x.data() + n * width + begin;
        for (std::size_t c = 0; c < columns; ++c) {
          const double off = static_cast<double>(row[c]) - sum[c];
          square[c] += off * off;
        }
      }
      const auto moved = [&](T& running, double value) {
        running = static_cast<T>((1 - momentum) * static_cast<double>(running) + momentum * value);
      };
      for (std::size_t c = 0; c < columns; ++c) {
        const Index at = begin + static_cast<Index>(c);
        mean[at] = static_cast<T>(sum[c]);
        inverse[at] = static_cast<T>(1 / std::sqrt(square[c] * share + epsilon));
        if (rows_present > 0) moved(running_mean->value[at], sum[c]);
        if (rows_present > 1) moved(running_var->value[at], square[c] / static_cast<double>(rows_present - 1));
      }
    } else {
      for (Index c = begin; c < end; ++c) {
        mean[c] = running_mean->value[c];
        inverse[c] = static_cast<T>(1 / std::sqrt(static_cast<double>(running_var->value[c]) + epsilon));
      }
    }
    const T* const w = weight->value;
    const T* const b = bias->value;
    for (Index n = 0; n < rows; ++n) {
      const T* const in = x.data() + n * width;
      T* const out = y.data() + n * width;
      if (there(n))
        for (Index c = begin; c < end; ++c) out[c] = (in[c] - mean[c]) * inverse[c] * w[c] + b[c];
      else std::fill(out + begin, out + end, T{0});
    }
  });
  return trace;
}

template <class T>
void BatchNorm<T>::backward(const Compute& compute, const Trace& trace, Matrix<const T> dy, Matrix<T> dx) const {
  const Matrix<const T> x = trace.x;
  const Index rows = x.size(0);
  assert(dy.shape() == x.shape() && dx.shape() == x.shape());
  const T share = T{1} / static_cast<T>(std::max<Index>(trace.rows_present, 1));
  const auto there = [&](Index n) { return trace.present.empty() || trace.present[static_cast<std::size_t>(n)] != 0; };
  compute.team.split(width, batch_norm_grain, [&](Index begin, Index end) {
    const T* const mean = trace.mean.data() + begin;
    const T* const inverse = trace.inverse_deviation.data() + begin;
    const T* const w = weight->value + begin;
    const std::size_t columns = static_cast<std::size_t>(end - begin);
    Sums sum{}, along{};  // of dy, and of dy * (x - mean) / deviation
    for (Index n = 0; n < rows; ++n) {
      if (!there(n)) continue;
      const T* const d = dy.data() + n * width + begin;
      const T* const in = x.data() + n * width + begin;
      for (std::size_t c = 0; c < columns; ++c) {
        sum[c] += static_cast<double>(d[c]);
        along[c] += static_cast<double>(d[c] * (in[c] - mean[c]) * inverse[c]);
      }
    }
    std::array<T, batch_norm_grain> shift{}, slope{};
    for (std::size_t c = 0; c < columns; ++c) {
      if (compute.trains()) {
        bias->gradient[begin + static_cast<Index>(c)] += static_cast<T>(sum[c]);
        weight->gradient[begin + static_cast<Index>(c)] += static_cast<T>(along[c]);
      }
      // The batch's own mean and variance move with x; the running ones do not.
      shift[c] = trace.training ? static_cast<T>(sum[c]) * share : T{0};
      slope[c] = trace.training ? static_cast<T>(along[c]) * share * inverse[c] : T{0};
    }
    for (Index n = 0; n < rows; ++n) {
      const T* const d = dy.data() + n * width + begin;
      const T* const in = x.data() + n * width + begin;
      T* const out = dx.data() + n * width + begin;
      if (there(n))
        for (std::size_t c = 0; c < columns; ++c)
          out[c] = (d[c] - shift[c] - (in[c] - mean[c]) * slope[c]) * inverse[c] * w[c];
      else std::fill(out, out + columns, T{0});
    }
  });
}

template struct BatchNorm<float>;
template struct BatchNorm<double>;

}  // namespace fovea
