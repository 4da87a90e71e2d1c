#include "fovea/nn/reference/self_attention.h"

#include <algorithm>

namespace fovea::reference {

namespace {

bool is_right(const Head& head, Index i, Index j) { return head.right.size(0) > 0 && head.right(i, j) != 0; }

bool is_held(const Head& head, Index i) {
  double sum = 0;
  for (Index j = 0; j <= i && head.held.size(0) > 0; ++j) sum += head.held(i, j);
  return sum > 0;
}

double score(const Head& head, const HeadInput& x, Index i, Index j) {
  double s = 0;
  for (Index m = 0; m < x.q.size(1); ++m) s += x.q(i, m) * (x.k(j, m) + (x.r.size(0) > 0 ? x.r(i - j, m) : 0));
  return head.factor * s / std::sqrt(static_cast<double>(x.q.size(1))) +
         (head.shift.size(0) > 0 ? head.shift(i, j) : 0);
}

}  // namespace

HeadOutput self_attention(const Head& head, const HeadInput& x) {
  const Index T = x.q.size(0), U = x.v.size(1);
  HeadOutput to{Array<2>(T, T), Array<2>(T, T), Array<2>(T, U)};
  for (Index i = 0; i < T; ++i) {
    const bool room = head.weighting == Weighting::one || head.weighting == Weighting::sink;
    double largest = room ? x.sink : -INFINITY, sum = 0;  // the largest cancels; it keeps exp from overflowing
    for (Index j = 0; j <= i; ++j) largest = std::max(largest, score(head, x, i, j));
    if (room) sum = std::exp(x.sink - largest);
    for (Index j = 0; j <= i; ++j) sum += std::exp(score(head, x, i, j) - largest);
    for (Index j = 0; j <= i; ++j) {
      const double s = score(head, x, i, j);
      if (is_held(head, i)) to.a(i, j) = head.held(i, j);
      else if (head.weighting == Weighting::softmax || room) to.a(i, j) = std::exp(s - largest) / sum;
      else if (head.weighting == Weighting::linear) to.a(i, j) = s;
      else to.a(i, j) = std::max(s, 0.0) / static_cast<double>(i + 1);
      to.weights(i, j) = to.a(i, j) * (is_right(head, i, j) ? head.scale : 1);
      for (Index m = 0; m < U && !head.ablated; ++m) to.y(i, m) += to.weights(i, j) * x.v(j, m);
    }
  }
  return to;
}

void self_attention_backward(const Head& head, const HeadInput& x, const HeadOutput& output, const Array<2>& dy,
                             HeadInput& d) {
  if (head.ablated) return;
  const Index T = x.q.size(0), K = x.q.size(1);
  const double c = head.factor / std::sqrt(static_cast<double>(K));
  for (Index i = 0; i < T; ++i) {
    // y = Σ A v, A = z a
    Array<1> da(i + 1);
    double mean = 0, weight = 0;  // Σ a da, Σ a
    for (Index j = 0; j <= i; ++j) {
      for (Index m = 0; m < x.v.size(1); ++m) {
        da(j) += dy(i, m) * x.v(j, m) * (is_right(head, i, j) ? head.scale : 1);
        d.v(j, m) += output.weights(i, j) * dy(i, m);
      }
      mean += output.a(i, j) * da(j);
      weight += output.a(i, j);
    }
    if (is_held(head, i)) continue;
    if (head.weighting == Weighting::sink) d.sink -= (1 - weight) * mean;

    for (Index j = 0; j <= i; ++j) {
      // a of s
      double ds = da(j);
      if (head.weighting != Weighting::linear && head.weighting != Weighting::relu)
        ds = output.a(i, j) * (da(j) - mean);
      if (head.weighting == Weighting::relu) ds = output.a(i, j) > 0 ? da(j) / static_cast<double>(i + 1) : 0;
      // s = c q · (k + r) + shift
      for (Index m = 0; m < K; ++m) {
        d.q(i, m) += c * ds * (x.k(j, m) + (x.r.size(0) > 0 ? x.r(i - j, m) : 0));
        d.k(j, m) += c * ds * x.q(i, m);
        if (x.r.size(0) > 0) d.r(i - j, m) += c * ds * x.q(i, m);
      }
    }
  }
}

Array<2> rotary(const Array<2>& x, Turn turn) {
  const Index half = x.size(1) / 2;
  Array<2> y(x.size(0), x.size(1));
  for (Index t = 0; t < x.size(0); ++t)
    for (Index m = 0; m < half; ++m) {
      const double exponent = -2 * static_cast<double>(m) / static_cast<double>(x.size(1));
      const double angle = static_cast<double>(t) * std::pow(10000.0, exponent) * (turn == Turn::forward ? 1 : -1);
      y(t, m) = x(t, m) * std::cos(angle) - x(t, m + half) * std::sin(angle);
      y(t, m + half) = x(t, m) * std::sin(angle) + x(t, m + half) * std::cos(angle);
    }
  return y;
}

Array<2> one_hot(std::span<const int> ids, Index tokens) {
  Array<2> rows(static_cast<Index>(ids.size()), tokens);
  for (std::size_t t = 0; t < ids.size(); ++t)
    if (ids[t] >= 0 && ids[t] < tokens) rows(static_cast<Index>(t), ids[t]) = 1;
  return rows;
}

}  // namespace fovea::reference
