// Model `position-heads`: one layer of heads that attend by position alone, each with an output for each token (room
// model/exact). lab/spec makes it by name for a run. For streams x_b of n tokens over V, C possible answers, each
// position t that asks:
//
//   A_hti  = softmax_{i<=t} a_h,(t-i)                    a (H,n)          model/exact/lag_heads.h
//   z_bt   = sum_h sum_{i<=t} A_hti W_h[x_bi]            W (H,V,C)
//   loss   = mean cross-entropy of z over the positions that ask, of the answer or of its distribution, if given
//
// a starts at small random numbers, since heads with equal a stay equal; W starts at 0. Backward:
//
//   dW_h[x_bi] += A_hti dz_bt        dA_hti += W_h[x_bi] . dz_bt        da of dA by the heads
#include <fmt/format.h>

#include <vector>

#include "fovea/math/vector_math.h"
#include "fovea/model/exact/answer_loss.h"
#include "fovea/model/exact/lag_heads.h"
#include "fovea/model/model.h"

namespace fovea {

namespace {

template <class T>
class PositionHeads final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.integer("heads", heads_, 1, 64, "heads of the layer");
    fields.number("start", start_, 0, 1e3, "standard deviation of the heads' logits at the start");
  }

  Kind takes() const override { return Kind::token_streams; }
  typename Model<T>::Heads heads() const override { return {{heads_}, true}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.longest < 1)
      throw wrong_input("model 'position-heads' needs a task with a largest number of positions",
                        "use a task of token streams");
    lags_.logits = &parameters.add("lags", {heads_, shape.longest}, Init::normal(start_), Group::attention);
    output_ = &parameters.add("output", {heads_, shape.vocab, shape.target_vocab}, Init::constant(0), Group::body);
    for (int head = 1; head <= heads_; ++head) names_.push_back(fmt::format("layer.1.head.{}", head));
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  using Lags = LagHeads<T>;
  struct TraceArrays {
    std::span<typename Lags::Map> heads;  // A
    Matrix<T> d_logits;                   // (B n,C)
  };

  // The row of W, or of its gradient, of a head and a token.
  std::span<T> row(T* of, Index head, Index token) const {
    const Index C = output_->shape[2];
    return {of + (head * output_->shape[1] + token) * C, static_cast<std::size_t>(C)};
  }
  // visit(b, t) for each position that asks, from the first example to the last.
  template <class Visit>
  static void each_asked(const Batch& batch, Index begin, Index end, Visit visit) {
    for (Index b = begin; b < end; ++b)
      for (Index t = 0; t < batch.source.columns; ++t)
        if (batch.target.at(static_cast<int>(b), static_cast<int>(t)) >= 0) visit(b, t);
  }
  static Index token(const Batch& batch, Index b, Index i) {
    return batch.source.at(static_cast<int>(b), static_cast<int>(i));
  }

  int heads_ = 3;
  double start_ = 1e-3;
  Lags lags_;
  const Param<T>* output_ = nullptr;  // W
  std::vector<std::string> names_;
};

template <class T>
Trace<T> PositionHeads<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index n = batch.source.columns, C = output_->shape[2];
  own.heads = compute.arena.take<typename Lags::Map>(static_cast<std::size_t>(heads_));
  for (std::size_t h = 0; h < own.heads.size(); ++h)
    own.heads[h] = lags_.weigh(compute, trace, static_cast<int>(h) + 1);
  trace.scores = compute.zeros<T>(batch.size * n, C);
  compute.team.split(batch.size, 16, [&](Index begin, Index end) {
    each_asked(batch, begin, end, [&](Index b, Index t) {
      for (std::size_t h = 0; h < own.heads.size(); ++h) {
        const std::span<const T> weights = own.heads[h].used(b, t);
        for (Index i = 0; i <= t; ++i)
          add_scaled(weights[static_cast<std::size_t>(i)],
                     std::span<const T>(row(output_->value, static_cast<Index>(h), token(batch, b, i))),
                     trace.scores[b * n + t].flat());
      }
    });
  });
  trace.answers = batch.target.ids;
  if (pass.training) own.d_logits = compute.array<T>(batch.size * n, C);
  trace.loss = answer_loss(compute, batch, Matrix<const T>(trace.scores), own.d_logits);
  if (!pass.training) {
    const auto maps = compute.arena.take<AttentionMap<T>>(own.heads.size());
    trace.attention = compute.zeros<T>(batch.size, n, n);
    for (std::size_t h = 0; h < maps.size(); ++h) {
      maps[h] = {names_[h], compute.array<T>(batch.size, n, n)};
      own.heads[h].copy_to(maps[h].weights);
      add_scaled(T{1} / static_cast<T>(heads_), std::span<const T>(maps[h].weights.flat()), trace.attention.flat());
    }
    trace.further = maps;
  }
  trace.keep(compute, own);
  return trace;
}

// Heads share no parameter, so each is a piece of its own.
template <class T>
void PositionHeads<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Batch& batch = *trace.batch;
  const Index n = batch.source.columns;
  const auto d_heads = compute.arena.take<typename Lags::Rows>(own.heads.size());
  for (std::size_t h = 0; h < d_heads.size(); ++h)
    d_heads[h] = {compute.zeros<T>(own.heads[h].used.weights.size(0), n, n)};
  compute.team.split(heads_, 1, [&](Index begin, Index end) {
    for (Index h = begin; h < end; ++h) {
      const typename Lags::Map& map = own.heads[static_cast<std::size_t>(h)];
      const typename Lags::Rows& d_map = d_heads[static_cast<std::size_t>(h)];
      each_asked(batch, 0, batch.size, [&](Index b, Index t) {
        const std::span<const T> dz = own.d_logits[b * n + t].flat(), weights = map.used(b, t);
        const std::span<T> d_weights = d_map(b, t);
        for (Index i = 0; i <= t; ++i) {
          const Index x = token(batch, b, i);
          add_scaled(weights[static_cast<std::size_t>(i)], dz, row(output_->gradient, h, x));
          d_weights[static_cast<std::size_t>(i)] += dot(std::span<const T>(row(output_->value, h, x)), dz);
        }
      });
      lags_.backward(trace, map, static_cast<int>(h) + 1, d_map);
    }
  });
}

const RegisterModel<PositionHeads> position_heads(
    "position-heads", "heads that attend by position alone, each with an output for each token");

}  // namespace

}  // namespace fovea
