#include "fovea/nn/reference/layer_norm.h"

namespace fovea::reference {

namespace {

struct RowMoments {
  double mean = 0, inverse_deviation = 0;  // μ, k
};

RowMoments moments_of(const LayerNorm& norm, const Array<2>& x, Index n) {
  const auto C = static_cast<double>(x.size(1));
  double mean = 0, variance = 0;
  for (Index c = 0; c < x.size(1); ++c) mean += x(n, c) / C;
  for (Index c = 0; c < x.size(1); ++c) variance += (x(n, c) - mean) * (x(n, c) - mean) / C;
  return {mean, 1 / std::sqrt(variance + norm.epsilon)};
}

}  // namespace

Array<2> layer_norm(const LayerNorm& norm, const Array<2>& x) {
  Array<2> y(x.size(0), x.size(1));
  for (Index n = 0; n < x.size(0); ++n) {
    const auto [mean, k] = moments_of(norm, x, n);
    for (Index c = 0; c < x.size(1); ++c)
      y(n, c) = norm.weight(c) * (x(n, c) - mean) * k + (norm.bias.size(0) > 0 ? norm.bias(c) : 0);
  }
  return y;
}

Array<2> layer_norm_backward(const LayerNorm& norm, const Array<2>& x, const Array<2>& dy, LayerNorm& d_norm) {
  const auto C = static_cast<double>(x.size(1));
  Array<2> dx(x.size(0), x.size(1));
  for (Index n = 0; n < x.size(0); ++n) {
    const auto [mean, k] = moments_of(norm, x, n);
    double dk = 0, d_mean = 0;
    for (Index c = 0; c < x.size(1); ++c) {
      // y = w x̂ + b
      const double off = x(n, c) - mean, d_hat = dy(n, c) * norm.weight(c);
      d_norm.weight(c) += dy(n, c) * off * k;
      if (norm.bias.size(0) > 0) d_norm.bias(c) += dy(n, c);
      // x̂ = (x - μ) k
      dx(n, c) += d_hat * k;
      d_mean -= d_hat * k;
      dk += d_hat * off;
    }
    // k = 1/√(v + ε)
    const double dv = -0.5 * k * k * k * dk;
    // v = 1/C Σ (x - μ)², μ = 1/C Σ x
    for (Index c = 0; c < x.size(1); ++c) dx(n, c) += 2 / C * (x(n, c) - mean) * dv + d_mean / C;
  }
  return dx;
}

}  // namespace fovea::reference
