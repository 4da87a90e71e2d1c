#include "fovea/nn/reference/attention.h"

#include <algorithm>

namespace fovea::reference {

namespace {

bool there(const Positions& positions, Index i) { return positions.present(i) != 0; }

// Whether the rule itself says what row t weighs.
bool set_by_rule(Rule rule, const Positions& positions, Index t) {
  if (rule == Rule::uniform) return true;
  if (rule == Rule::softmax) return false;
  for (Index i = 0; i < positions.truth.size(1); ++i)
    if (positions.truth(t, i) != 0) return true;
  return false;
}

// What row t weighs before it is divided by its sum.
double unnormalised(Rule rule, const Array<2>& scores, const Positions& positions, Index t, Index i) {
  if (!there(positions, i)) return 0;
  if (rule == Rule::uniform) return 1;
  if (set_by_rule(rule, positions, t)) return positions.truth(t, i);
  double largest = -INFINITY;  // cancels; keeps exp from overflowing
  for (Index j = 0; j < scores.size(1); ++j)
    if (there(positions, j)) largest = std::max(largest, scores(t, j));
  return std::exp(scores(t, i) - largest);
}

}  // namespace

// s_ti = e q_t · k_i
Array<2> attention_scores(const Array<2>& q, const Array<2>& k, double scale) {
  Array<2> s(q.size(0), k.size(0));
  for (Index t = 0; t < q.size(0); ++t)
    for (Index i = 0; i < k.size(0); ++i)
      for (Index m = 0; m < q.size(1); ++m) s(t, i) += scale * q(t, m) * k(i, m);
  return s;
}

void attention_scores_backward(const Array<2>& q, const Array<2>& k, double scale, const Array<2>& ds, Array<2>& dq,
                               Array<2>& dk) {
  for (Index t = 0; t < q.size(0); ++t)
    for (Index i = 0; i < k.size(0); ++i)
      for (Index m = 0; m < q.size(1); ++m) {
        dq(t, m) += scale * ds(t, i) * k(i, m);
        dk(i, m) += scale * ds(t, i) * q(t, m);
      }
}

// α_ti = exp(s_ti) / Σ_j exp(s_tj), or 1/n, or 1/m
Array<2> attention_weights(Rule rule, const Array<2>& scores, const Positions& positions) {
  const Index T = scores.size(0), S = scores.size(1);
  Array<2> weights(T, S);
  for (Index t = 0; t < T; ++t) {
    double sum = 0;
    for (Index i = 0; i < S; ++i) sum += weights(t, i) = unnormalised(rule, scores, positions, t, i);
    for (Index i = 0; i < S; ++i)
      if (there(positions, i)) weights(t, i) /= sum;
  }
  return weights;
}

Array<2> attention_weights_backward(Rule rule, const Array<2>& weights, const Positions& positions,
                                    const Array<2>& d_weights) {
  const Index T = weights.size(0), S = weights.size(1);
  Array<2> d_scores(T, S);
  for (Index t = 0; t < T; ++t) {
    if (set_by_rule(rule, positions, t)) continue;
    double mean = 0;  // Σ_j α_tj dα_tj
    for (Index j = 0; j < S; ++j)
      if (there(positions, j)) mean += weights(t, j) * d_weights(t, j);
    for (Index i = 0; i < S; ++i)
      if (there(positions, i)) d_scores(t, i) = weights(t, i) * (d_weights(t, i) - mean);
  }
  return d_scores;
}

// y_t = Σ_i α_ti v_i
Array<2> attention_context(const Array<2>& weights, const Array<2>& values, const Positions& positions) {
  Array<2> y(weights.size(0), values.size(1));
  for (Index t = 0; t < weights.size(0); ++t)
    for (Index i = 0; i < weights.size(1); ++i)
      for (Index m = 0; m < values.size(1); ++m)
        if (there(positions, i)) y(t, m) += weights(t, i) * values(i, m);
  return y;
}

Array<2> attention_context_backward(const Array<2>& weights, const Array<2>& values, const Positions& positions,
                                    const Array<2>& dy, Array<2>& d_values) {
  Array<2> d_weights(weights.size(0), weights.size(1));
  for (Index t = 0; t < weights.size(0); ++t)
    for (Index i = 0; i < weights.size(1); ++i)
      for (Index m = 0; m < values.size(1); ++m)
        if (there(positions, i)) {
          d_weights(t, i) += dy(t, m) * values(i, m);
          d_values(i, m) += weights(t, i) * dy(t, m);
        }
  return d_weights;
}

}  // namespace fovea::reference
