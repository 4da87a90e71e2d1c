#include "fovea/nn/attention/cross_attention.h"

#include "fovea/math/matmul.h"

namespace fovea {

template <class T>
CrossAttention<T> CrossAttention<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index target_width,
                                             Index source_width, Index hidden) {
  if (hidden > 0)
    return {
        {},
        Score<T>::declare(parameters, under(prefix, "score"), ScoreKind::additive, source_width, target_width, hidden)};
  return {Linear<T>::declare(parameters, under(prefix, "query"), target_width, source_width, Group::attention), {}};
}

template <class T>
Cube<T> CrossAttention<T>::forward(Compute& compute, Cube<const T> targets, Cube<const T> sources,
                                   std::span<const int> lengths, const AttentionRule& rule, const RightPositions& right,
                                   Trace& trace) const {
  const Index T_ = targets.size(0), B = targets.size(1), S = sources.size(0), H = sources.size(2);
  const bool scored = own && rule.by_score();
  trace = {targets, sources, {}, {}, {}};
  if (scored) trace.score = own->forward(compute, time_major(sources), time_major(targets));
  trace.attention = scored ? Attention<T>::over(compute, trace.score.scores, lengths, rule, right)
                           : Attention<T>::make(compute, B, T_, S, lengths, rule, right);
  trace.attention.by_products = true;
  const Attention<T>& attention = trace.attention;
  const Cube<T> context = compute.array<T>(T_, B, H);
  const bool products = attention.by_score() && !own;
  if (products) trace.queries = query.forward(compute, targets.as(T_ * B, targets.size(2))).as(T_, B, H);

  const Sequences<const T> e = time_major(sources), q = time_major(Cube<const T>(trace.queries));
  compute.team.each(static_cast<int>(B), [&](int b) {
    const Index length = attention.length(b);
    if (products && length > 0)
      matmul(compute.products, q.of(b, T_), e.of_transposed(b, length),
             Matrix<T>(attention.weights[b].data(), T_, length), Into::overwrite, S);
    attention.weigh(Index{b});
    attention.sum(Index{b}, e, time_major(context));
  });
  return context;
}

template <class T>
void CrossAttention<T>::backward(Compute& compute, const Trace& trace, Cube<const T> d_context, Cube<T> d_targets,
                                 Cube<T> d_sources) const {
  const Attention<T>& attention = trace.attention;
  const Index T_ = trace.targets.size(0), B = trace.targets.size(1);
  const Index S = trace.sources.size(0), H = trace.sources.size(2);
  if (own) {
    const Cube<T> d_scores =
        attention.backward(compute, time_major(trace.sources), time_major(d_context), time_major(d_sources));
    if (attention.by_score())
      own->backward(compute, trace.score, d_scores, time_major(d_sources), time_major(d_targets));
    return;
  }
  const bool learned = attention.by_score();
  const Cube<T> d_scores = learned ? compute.array<T>(B, T_, S) : Cube<T>();
  const Cube<T> d_queries = learned ? compute.array<T>(T_, B, H) : Cube<T>();

  const Sequences<const T> e = time_major(trace.sources), q = time_major(Cube<const T>(trace.queries));
  const Sequences<T> d_e = time_major(d_sources), d_q = time_major(d_queries);
  compute.team.each(static_cast<int>(B), [&](int b) {
    const Index length = attention.length(b);
    attention.sum_backward(Index{b}, e, time_major(d_context), d_scores, d_e);
    if (!learned) return;
    attention.weigh_backward(Index{b}, d_scores);
    const T* const d = d_scores[b].data();
    matmul(compute.products, Operand<T>{d, T_, length, S, false}, e.of(b, length), Matrix<T>(d_q.row(b, 0), T_, H),
           Into::overwrite, B * H);
    if (length > 0)
      matmul(compute.products, Operand<T>{d, length, T_, S, true}, q.of(b, T_), Matrix<T>(d_e.row(b, 0), length, H),
             Into::add, B * H);
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
