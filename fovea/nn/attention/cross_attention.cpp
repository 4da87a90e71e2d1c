#include "fovea/nn/attention/cross_attention.h"

#include <algorithm>

#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

// Example b of a time-major array x (T,B,H), as a (length,H) operand.
template <class T>
Operand<std::remove_const_t<T>> example(Cube<T> x, Index b, Index length) {
  return {x.data() + b * x.size(2), length, x.size(2), x.size(1) * x.size(2), false};
}

template <class T>
Operand<T> turned(Operand<T> a) {
  return {a.data, a.columns, a.rows, a.stride, !a.transposed};
}

// The same example as a place to write to; rows are x.size(1) * x.size(2) apart.
template <class T>
Matrix<T> example_out(Cube<T> x, Index b, Index length) {
  return Matrix<T>(x.data() + b * x.size(2), length, x.size(2));
}

template <class T>
bool forced(const typename CrossAttention<T>::Rule& rule, Index b, Index t, Index targets) {
  return rule.uniform || (!rule.alignment.empty() && rule.alignment[static_cast<std::size_t>(b * targets + t)] >= 0);
}

}  // namespace

template <class T>
CrossAttention<T> CrossAttention<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index target_width,
                                             Index source_width) {
  return {Linear<T>::declare(parameters, under(prefix, "query"), target_width, source_width, Group::attention)};
}

template <class T>
Cube<T> CrossAttention<T>::forward(Compute& compute, Cube<const T> targets, Cube<const T> sources,
                                   std::span<const int> lengths, Rule rule, Trace& trace) const {
  const Index T_ = targets.size(0), B = targets.size(1), S = sources.size(0), H = sources.size(2);
  trace = {targets, sources, lengths, rule, {}, compute.zeros<T>(B, T_, S)};
  const Cube<T> context = compute.array<T>(T_, B, H);
  if (!rule.uniform) trace.queries = query.forward(compute, targets.as(T_ * B, targets.size(2))).as(T_, B, H);

  compute.team.each(static_cast<int>(B), [&](int b) {
    const Index length = lengths[static_cast<std::size_t>(b)];
    const Operand<T> source = example(sources, b, length);
    const Matrix<T> weights = trace.weights[b];  // (T,S)
    if (!rule.uniform && length > 0)
      matmul(example(trace.queries, b, T_), turned(source), Matrix<T>(weights.data(), T_, length), Into::overwrite, S);
    for (Index t = 0; t < T_; ++t) {
      const std::span<T> row = weights[t].flat().first(static_cast<std::size_t>(length));
      if (rule.uniform) {
        std::fill(row.begin(), row.end(), T{1} / static_cast<T>(length));
      } else if (forced<T>(rule, b, t, T_)) {
        std::fill(row.begin(), row.end(), T{0});
        row[static_cast<std::size_t>(rule.alignment[static_cast<std::size_t>(b * T_ + t)])] = T{1};
      } else {
        softmax(std::span<const T>(row), row);
      }
    }
    const Operand<T> present{weights.data(), T_, length, S, false};
    matmul(present, source, example_out(context, b, T_), Into::overwrite, B * H);
  });
  return context;
}

template <class T>
void CrossAttention<T>::backward(Compute& compute, const Trace& trace, Cube<const T> d_context, Cube<T> d_targets,
                                 Cube<T> d_sources) const {
  const Index T_ = trace.targets.size(0), B = trace.targets.size(1);
  const Index S = trace.sources.size(0), H = trace.sources.size(2);
  const bool learned = !trace.rule.uniform;
  const Cube<T> d_scores = learned ? compute.array<T>(B, T_, S) : Cube<T>();
  const Cube<T> d_queries = learned ? compute.array<T>(T_, B, H) : Cube<T>();

  compute.team.each(static_cast<int>(B), [&](int b) {
    const Index length = trace.lengths[static_cast<std::size_t>(b)];
    const Operand<T> source = example(trace.sources, b, length);
    const Operand<T> d_row = example(d_context, b, T_);
    const Operand<T> weights{trace.weights[b].data(), T_, length, S, false};
    matmul(turned(weights), d_row, example_out(d_sources, b, length), Into::add, B * H);
    if (!learned) return;

    // dα = d_context · e; through the softmax, dscore = α (dα - Σ α dα).
    const Matrix<T> d_score = d_scores[b];
    matmul(d_row, turned(source), Matrix<T>(d_score.data(), T_, length), Into::overwrite, S);
    for (Index t = 0; t < T_; ++t) {
      const std::span<T> d = d_score[t].flat().first(static_cast<std::size_t>(length));
      if (forced<T>(trace.rule, b, t, T_)) {
        std::fill(d.begin(), d.end(), T{0});
        continue;
      }
      const std::span<const T> alpha = trace.weights[b][t].flat().first(static_cast<std::size_t>(length));
      const T mean = dot(alpha, std::span<const T>(d));
      for (std::size_t s = 0; s < d.size(); ++s) d[s] = alpha[s] * (d[s] - mean);
    }
    const Operand<T> d_present{d_score.data(), T_, length, S, false};
    matmul(d_present, source, example_out(d_queries, b, T_), Into::overwrite, B * H);
    matmul(turned(d_present), example(trace.queries, b, T_), example_out(d_sources, b, length), Into::add, B * H);
  });
  if (!learned) return;

  const Matrix<const T> flat_targets = trace.targets.as(T_ * B, trace.targets.size(2));
  const Matrix<const T> flat_d_queries = d_queries.as(T_ * B, H);
  query.backward_parameters(compute, flat_targets, flat_d_queries);
  query.backward_input(compute, flat_d_queries, d_targets.as(T_ * B, d_targets.size(2)), true);
}

template struct CrossAttention<float>;
template struct CrossAttention<double>;

}  // namespace fovea
