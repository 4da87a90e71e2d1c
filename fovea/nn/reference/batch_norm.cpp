#include "fovea/nn/reference/batch_norm.h"

namespace fovea::reference {

namespace {

// The rows that are there.
std::vector<Index> rows_of(std::span<const std::uint8_t> present) {
  std::vector<Index> rows;
  for (std::size_t r = 0; r < present.size(); ++r)
    if (present[r] != 0) rows.push_back(static_cast<Index>(r));
  return rows;
}

}  // namespace

Normalised batch_norm(BatchNorm& norm, bool training, const Array<2>& x, std::span<const std::uint8_t> present) {
  const Index N = x.size(0), C = x.size(1);
  const std::vector<Index> rows = rows_of(present);
  const auto n = static_cast<double>(rows.size());
  const double m = norm.momentum;
  Normalised to{training, present, x, Array<2>(N, C), Array<1>(C), Array<1>(C)};
  for (Index c = 0; c < C; ++c) {
    double mean = 0, variance = 0;
    if (training) {
      for (const Index r : rows) mean += x(r, c) / n;
      for (const Index r : rows) variance += (x(r, c) - mean) * (x(r, c) - mean) / n;
      if (n > 0) norm.running_mean(c) = (1 - m) * norm.running_mean(c) + m * mean;
      if (n > 1) norm.running_var(c) = (1 - m) * norm.running_var(c) + m * variance * n / (n - 1);
    } else {
      mean = norm.running_mean(c);
      variance = norm.running_var(c);
    }
    const double k = 1 / std::sqrt(variance + norm.epsilon);
    for (const Index r : rows) to.y(r, c) = norm.weight(c) * (x(r, c) - mean) * k + norm.bias(c);
    to.mean(c) = mean;
    to.inverse_deviation(c) = k;
  }
  return to;
}

Array<2> batch_norm_backward(const BatchNorm& norm, const Normalised& forward, const Array<2>& dy, BatchNorm& d_norm) {
  const Index N = dy.size(0), C = dy.size(1);
  const std::vector<Index> rows = rows_of(forward.present);
  const auto n = static_cast<double>(rows.size());
  Array<2> dx(N, C);
  for (Index c = 0; c < C; ++c) {
    const double k = forward.inverse_deviation(c), w = norm.weight(c);
    const auto off = [&](Index r) { return forward.x(r, c) - forward.mean(c); };

    double dk = 0, d_mean = 0, sum_of_off = 0;
    for (const Index r : rows) {
      // y = w x̂ + b
      d_norm.bias(c) += dy(r, c);
      d_norm.weight(c) += dy(r, c) * off(r) * k;
      const double d_hat = dy(r, c) * w;
      // x̂ = (x - μ) k
      dx(r, c) += d_hat * k;
      d_mean -= d_hat * k;
      dk += d_hat * off(r);
      sum_of_off += off(r);
    }
    if (!forward.training) continue;  // the running statistics do not move with x

    // k = 1/√(v + ε)
    const double dv = -0.5 * k * k * k * dk;
    // v = 1/n Σ (x - μ)²
    for (const Index r : rows) dx(r, c) += 2 / n * off(r) * dv;
    d_mean -= 2 / n * sum_of_off * dv;
    // μ = 1/n Σ x
    for (const Index r : rows) dx(r, c) += d_mean / n;
  }
  return dx;
}

}  // namespace fovea::reference
