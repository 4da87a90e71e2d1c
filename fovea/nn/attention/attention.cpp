#include "fovea/nn/attention/attention.h"

#include <algorithm>
#include <cassert>

#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr Index grain = 1 << 13;  // elements a piece

template <class T>
std::span<T> span_of(T* data, Index count) {
  return {data, static_cast<std::size_t>(count)};
}

}  // namespace

// Calls work(b) for every example, in pieces; one has `elements`.
template <class T>
template <class Work>
void Attention<T>::each(Team& team, Index elements, Work work) const {
  team.split(weights.size(0), std::max<Index>(1, grain / std::max<Index>(elements, 1)), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) work(b);
  });
}

template <class T>
Attention<T> Attention<T>::over(const Compute& compute, Cube<T> scores, std::span<const int> lengths,
                                const AttentionRule& rule, const RightPositions& right) {
  const Index rows = scores.size(0) * scores.size(1);
  assert(right.empty() || std::ssize(right.positions) >= rows * right.width);
  Attention attention{scores, lengths, rule, right, {}, {}, scores.size(1) > 1, compute.products};
  if (rule.by_score()) attention.held = compute.arena.take_zeros<std::uint8_t>(static_cast<std::size_t>(rows));
  if (rule.changes_weights())
    attention.unscaled = compute.template array<T>(scores.size(0), scores.size(1), scores.size(2));
  return attention;
}

template <class T>
Attention<T> Attention<T>::make(const Compute& compute, Index batch, Index rows, Index positions,
                                std::span<const int> lengths, const AttentionRule& rule, const RightPositions& right) {
  return over(compute, compute.template array<T>(batch, rows, positions), lengths, rule, right);
}

template <class T>
void Attention<T>::change_backward(Index b, Cube<T> d_weights) const {
  const Index rows = weights.size(1);
  for (Index t = 0; rule.changes_weights() && t < rows; ++t)
    change_weights_backward(rule, right.of(b * rows + t), d_weights[b][t].flat());
}

template <class T>
void Attention<T>::apply_rule(Index b) const {
  const Index rows = weights.size(1), present = length(b);
  assert(present >= 0 && present <= weights.size(2));
  if (rule.pattern != AttentionRule::Pattern::learned)
    for (Index t = 0; t < rows; ++t) {
      const std::span<const int> needed = right.of(b * rows + t);
      if (!rule.holds(needed)) continue;
      write_pattern(rule.pattern, t, present, needed, weights[b][t].flat());
      if (!held.empty()) held[static_cast<std::size_t>(b * rows + t)] = 1;
    }
  if (!unscaled.empty()) std::ranges::copy(weights[b].flat(), unscaled[b].data());
  for (Index t = 0; rule.changes_weights() && t < rows; ++t)
    change_weights(rule, right.of(b * rows + t), weights[b][t].flat());
  if (rule.ablated) std::ranges::fill(weights[b].flat(), T{0});
}

template <class T>
void Attention<T>::weigh(Index b) const {
  const Index rows = weights.size(1), most = weights.size(2), present = length(b);
  for (Index t = 0; rule.by_score() && t < rows; ++t) {
    T* const out = weights[b][t].data();
    if (rule.changes_scores()) change_scores(rule, b, t, span_of(out, present));
    softmax(span_of(static_cast<const T*>(out), present), span_of(out, present));
    std::fill(out + present, out + most, T{0});
  }
  apply_rule(b);
}

template <class T>
void Attention<T>::weigh_backward(Index b, Cube<T> d_weights) const {
  const Index rows = weights.size(1), most = weights.size(2), present = length(b);
  assert(weights.shape() == d_weights.shape());
  change_backward(b, d_weights);
  const T slope = score_slope<T>(rule);
  for (Index t = 0; t < rows; ++t) {
    const T* const alpha = (unscaled.empty() ? weights : unscaled)[b][t].data();
    T* const d = d_weights[b][t].data();
    if (!follows(b, t)) {
      std::fill(d, d + most, T{0});
      continue;
    }
    const T mean = dot(span_of(alpha, present), span_of(static_cast<const T*>(d), present));
    for (Index s = 0; s < present; ++s) d[s] = slope * (alpha[s] * (d[s] - mean));
    std::fill(d + present, d + most, T{0});
  }
}

template <class T>
void Attention<T>::sum(Index b, Sequences<const T> values, Sequences<T> contexts) const {
  const Index rows = weights.size(1), most = weights.size(2), width = values.width, present = length(b);
  assert(values.batch == weights.size(0) && values.length == most && contexts.batch == values.batch);
  assert(contexts.length == rows && contexts.width == width);
  if (by_products && present > 0) {
    const Operand<T> left{weights[b].data(), rows, present, most, false};
    matmul(products, left, values.of(b, present), Matrix<T>(contexts.row(b, 0), rows, width), Into::overwrite,
           contexts.step_stride * width);
    return;
  }
  for (Index t = 0; t < rows; ++t) {
    const T* const alpha = weights[b][t].data();
    const std::span<T> out = span_of(contexts.row(b, t), width);
    std::fill(out.begin(), out.end(), T{0});
    for (Index s = 0; s < present; ++s) add_scaled(alpha[s], span_of(values.row(b, s), width), out);
  }
}

template <class T>
void Attention<T>::sum_backward(Index b, Sequences<const T> values, Sequences<const T> d_contexts, Cube<T> d_weights,
                                Sequences<T> d_values) const {
  const Index rows = weights.size(1), most = weights.size(2), width = values.width, present = length(b);
  assert(d_contexts.batch == weights.size(0) && d_contexts.length == rows && d_contexts.width == width);
  const T* const alpha = weights[b].data();
  T* const d_alpha = d_weights.data() ? d_weights[b].data() : nullptr;
  if (d_alpha)
    for (Index t = 0; t < rows; ++t) std::fill(d_alpha + t * most + present, d_alpha + (t + 1) * most, T{0});
  if (present == 0) return;
  if (by_products) {
    if (d_values.data)
      matmul(products, Operand<T>{alpha, present, rows, most, true}, d_contexts.of(b, rows),
             Matrix<T>(d_values.row(b, 0), present, width), Into::add, d_values.step_stride * width);
    if (d_alpha)
      matmul(products, d_contexts.of(b, rows), values.of_transposed(b, present), Matrix<T>(d_alpha, rows, present),
             Into::overwrite, most);
    return;
  }
  const std::span<const T> d = span_of(d_contexts.row(b, 0), width);
  for (Index s = 0; s < present; ++s) {
    if (d_values.data) add_scaled(alpha[s], d, span_of(d_values.row(b, s), width));
    if (d_alpha) d_alpha[s] = dot(d, span_of(values.row(b, s), width));
  }
}

template <class T>
void Attention<T>::weigh(Team& team) const {
  each(team, weights.size(1) * weights.size(2), [&](Index b) { weigh(b); });
}

template <class T>
void Attention<T>::apply_rule(Team& team) const {
  each(team, weights.size(1) * weights.size(2), [&](Index b) { apply_rule(b); });
}

template <class T>
void Attention<T>::weigh_backward(Team& team, Cube<T> d_weights) const {
  each(team, weights.size(1) * weights.size(2), [&](Index b) { weigh_backward(b, d_weights); });
}

template <class T>
void Attention<T>::sum(Team& team, Sequences<const T> values, Sequences<T> contexts) const {
  each(team, weights.size(1) * weights.size(2) * values.width, [&](Index b) { sum(b, values, contexts); });
}

template <class T>
void Attention<T>::sum_backward(Team& team, Sequences<const T> values, Sequences<const T> d_contexts, Cube<T> d_weights,
                                Sequences<T> d_values) const {
  each(team, weights.size(1) * weights.size(2) * values.width,
       [&](Index b) { sum_backward(b, values, d_contexts, d_weights, d_values); });
}

template <class T>
Cube<T> Attention<T>::backward(const Compute& compute, Sequences<const T> values, Sequences<const T> d_contexts,
                               Sequences<T> d_values) const {
  Cube<T> d_scores;
  if (by_score()) d_scores = compute.template array<T>(weights.size(0), weights.size(1), weights.size(2));
  each(compute.team, weights.size(1) * weights.size(2) * values.width, [&](Index b) {
    sum_backward(b, values, d_contexts, d_scores, d_values);
    if (by_score()) weigh_backward(b, d_scores);
  });
  return d_scores;
}

template struct Attention<float>;
template struct Attention<double>;

}  // namespace fovea
