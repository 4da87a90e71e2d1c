// Model `rank-one-attention`: dot-product attention whose keys and queries are one number for each vector, by one
// vector q (room model/exact). lab/spec makes it by name for a run. B examples of T vectors x_bi of d numbers, and
// answers y_bi. Forward:
//
//   s_bi    = x_bi . q / sqrt d                       q (d)
//   P_bij   = softmax_j(s_bi s_bj)
//   yhat_bi = sum_j P_bij x_bj
//   loss    = 1 / (2 B d) sum_bi |yhat_bi - y_bi|^2
//
// Backward, with e_bi = (yhat_bi - y_bi) / (B d):
//
//   dP_bij = e_bi . x_bj
//   dS_bij = P_bij (dP_bij - sum_k P_bik dP_bik)      0 where held
//   ds_bi  = sum_j (dS_bij + dS_bji) s_bj
//   dq     = sum_bi ds_bi x_bi / sqrt d
//
// q starts small. Along which directions it grows, and where it may end, is theory/exact/mixed_teacher.h.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "fovea/math/vector_math.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

// The vectors of a batch as rows, in the precision of a model.
template <class T>
Matrix<const T> vectors_as_rows(const Compute& compute, const Items& items) {
  const Index rows = Index{items.rows} * items.columns;
  if constexpr (std::is_same_v<T, float>) {
    return Matrix<const T>(items.values.data(), rows, items.width);
  } else {
    const Matrix<T> all = compute.array<T>(rows, items.width);
    std::ranges::transform(items.values, all.data(), [](float x) { return static_cast<T>(x); });
    return all;
  }
}

template <class T>
class RankOneAttention final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.number("start", start_, 0, 1e6, "standard deviation of the query vector at the start");
  }

  Kind takes() const override { return Kind::points; }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }
  AttentionMeaning attention_meaning() const override { return {AttentionRows::query, AttentionColumns::item}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.value_width != shape.width || shape.query_width != 1 || shape.most_items < 2)
      throw wrong_input("model 'rank-one-attention' needs a task that answers each vector of an example with a vector",
                        "use task 'position-or-meaning'");
    query_ = &parameters.add("query", {shape.width}, Init::normal(start_), Group::attention);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  struct TraceArrays {
    Attention<T> attention;  // P (B,T,T)
    Matrix<const T> x;       // (B T,d)
    std::span<T> s;          // (B T)
    Matrix<T> error;         // e (B T,d)
  };

  T per_root() const { return static_cast<T>(1 / std::sqrt(static_cast<double>(query_->count()))); }

  double start_ = 0.1;
  const Param<T>* query_ = nullptr;
};

template <class T>
Trace<T> RankOneAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  const Index B = batch.size, positions = batch.items.columns, d = batch.items.width;
  const AttentionRule rule = pass.rules.of(1, 1);
  TraceArrays own{
      Attention<T>::make(compute, B, positions, positions, {}, rule, right_positions(compute.arena, batch, rule)),
      vectors_as_rows<T>(compute, batch.items),
      compute.arena.take<T>(static_cast<std::size_t>(B * positions)),
      {}};
  trace.predictions = compute.zeros<T>(B * positions, d);
  const std::span<const T> q = query_->values();
  compute.team.split(B, 16, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      T* const s = own.s.data() + b * positions;
      for (Index i = 0; i < positions; ++i) s[i] = per_root() * dot(own.x[b * positions + i].flat(), q);
      for (Index i = 0; i < positions; ++i)
        for (Index j = 0; j < positions; ++j) own.attention.weights(b, i, j) = s[i] * s[j];
      own.attention.weigh(b);
      for (Index i = 0; i < positions; ++i)
        for (Index j = 0; j < positions; ++j)
          add_scaled(own.attention.weights(b, i, j), own.x[b * positions + j].flat(),
                     trace.predictions[b * positions + i].flat());
    }
  });
  if (pass.training) own.error = compute.array<T>(B * positions, d);
  const Matrix<const T> truth = vectors_as_rows<T>(compute, batch.answers);
  const T scale = static_cast<T>(positions) / 2;
  trace.loss = static_cast<double>(scale) * squared_error<T>(compute, trace.predictions.flat(), truth.flat(),
                                                             pass.training ? own.error.flat() : std::span<T>());
  for (T& e : own.error.flat()) e *= scale;
  if (!pass.training) trace.attention = own.attention.weights;
  trace.keep(compute, own);
  return trace;
}

template <class T>
void RankOneAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Index B = trace.batch->size, positions = trace.batch->items.columns;
  const Cube<T> d_scores = compute.array<T>(B, positions, positions);
  compute.team.split(B, 16, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      for (Index i = 0; i < positions; ++i)
        for (Index j = 0; j < positions; ++j)
          d_scores(b, i, j) =
              dot(std::span<const T>(own.error[b * positions + i].flat()), own.x[b * positions + j].flat());
      own.attention.weigh_backward(b, d_scores);
    }
  });
  for (Index b = 0; b < B; ++b)
    for (Index i = 0; i < positions; ++i) {
      T slope = 0;
      for (Index j = 0; j < positions; ++j)
        slope += (d_scores(b, i, j) + d_scores(b, j, i)) * own.s[static_cast<std::size_t>(b * positions + j)];
      add_scaled(slope * per_root(), own.x[b * positions + i].flat(), query_->gradients());
    }
}

const RegisterModel<RankOneAttention> rank_one_attention("rank-one-attention",
                                                         "dot-product attention with one vector as key and query");

}  // namespace

}  // namespace fovea
