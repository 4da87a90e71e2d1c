// Model `sparse-attention` (room model/exact): attention by position alone, and one linear map of the result.
// lab/spec makes it by name for a run. It writes only traces and gradients. B examples of T vectors x_bt of d
// numbers, and answers y_b (B,d). Forward:
//
//   alpha  = softmax(a)                          a (T); the positions that the first example marks may share one logit
//   m_b    = sum_t alpha_t x_bt                  m (B,d)
//   yhat_b = W m_b                               W (d,d)
//   loss   = 1 / (2 B d) sum_b |yhat_b - y_b|^2
//
// Attention may be held: uniform, or even over the positions that the batch marks. Backward, with e_b = (yhat_b -
// y_b) / (B d):
//
//   dW       = sum_b e_b m_b'                    dm_b = W' e_b
//   dalpha_t = sum_b dm_b . x_bt
//   da_t     = alpha_t (dalpha_t - sum_u alpha_u dalpha_u)       summed over positions of a shared logit; 0 if held
//
// All parameters are 0 at the start. theory/sparse_emergence.h predicts how long attention takes to leave it.
#include <algorithm>

#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

template <class T>
class SparseAttention final : public Model<T> {
 public:
  void settings(Fields& fields) override { fields.flag("shared", shared_, "use one logit for all marked positions"); }

  Kind takes() const override { return Kind::points; }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }
  AttentionMeaning attention_meaning() const override { return {AttentionRows::example, AttentionColumns::item}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.value_width != shape.width || shape.most_items < 2)
      throw wrong_input("model 'sparse-attention' needs a task that answers vectors with one vector of the same width",
                        "use task 'sparse-emergence'");
    logits_ = &parameters.add("logits", {shape.most_items}, Init::constant(0), Group::attention);
    if (shared_) logit_of_marked_ = &parameters.add("shared_logit", {1}, Init::constant(0), Group::attention);
    map_ =
        Linear<T>::declare(parameters, "map", shape.width, shape.width, {Init::constant(0), {}}, Group::body, Bias::no);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  struct TraceArrays {
    Attention<T> attention;  // (1,1,T): of all examples alike
    Matrix<T> brought;       // m (B,d)
    Matrix<T> error;         // e (B,d)
  };

  // Where a position's number stands among the values, or the gradients, of the parameters.
  T* of_position(Index position, const Batch& batch, T* logits, T* marked) const {
    const bool shares = shared_ && !batch.marked.empty() && batch.marked[static_cast<std::size_t>(position)] != 0;
    return shares ? marked : logits + position;
  }

  bool shared_ = false;
  const Param<T>*logits_ = nullptr, *logit_of_marked_ = nullptr;
  Linear<T> map_;
};

template <class T>
Trace<T> SparseAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index B = batch.size, positions = batch.items.columns, d = map_.in;
  const AttentionRule rule = pass.rules.of(1, 1);
  own.attention = Attention<T>::make(compute, 1, 1, positions, {}, rule,
                                     right_positions(compute.arena, batch, rule));  // of the first
  const std::span<T> weights = own.attention.weights.flat();
  for (Index t = 0; t < positions; ++t)
    weights[static_cast<std::size_t>(t)] =
        *of_position(t, batch, logits_->value, shared_ ? logit_of_marked_->value : nullptr);
  own.attention.weigh(compute.team);
  own.brought = compute.zeros<T>(B, d);
  const Matrix<T> truth = compute.array<T>(B, d);
  compute.team.split(B, 16, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      for (Index t = 0; t < positions; ++t) {
        const float* const x = batch.items.item(static_cast<int>(b), static_cast<int>(t));
        const T weight = weights[static_cast<std::size_t>(t)];
        for (Index i = 0; i < d; ++i) own.brought(b, i) += weight * static_cast<T>(x[i]);
      }
      std::copy_n(batch.answers.item(static_cast<int>(b), 0), d, truth[b].data());
    }
  });
  trace.predictions = map_.forward(compute, own.brought);
  own.error = pass.training ? compute.array<T>(B, d) : Matrix<T>();
  trace.loss = squared_error<T>(compute, trace.predictions.flat(), truth.flat(),
                                pass.training ? own.error.flat() : std::span<T>()) /
               2;
  for (T& e : own.error.flat()) e /= 2;
  if (!pass.training) {
    trace.attention = compute.array<T>(B, 1, positions);
    for (Index b = 0; b < B; ++b) std::copy(weights.begin(), weights.end(), trace.attention[b].data());
  }
  trace.keep(compute, own);
  return trace;
}

template <class T>
void SparseAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Items& items = trace.batch->items;
  const Matrix<T> d_brought = map_.backward(compute, own.brought, own.error);
  if (!own.attention.follows(0, 0)) return;
  const Cube<T> d_weights = compute.zeros<T>(1, 1, items.columns);
  compute.team.split(items.columns, 4, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t)
      for (Index b = 0; b < d_brought.size(0); ++b) {
        const float* const x = items.item(static_cast<int>(b), static_cast<int>(t));
        for (Index i = 0; i < d_brought.size(1); ++i) d_weights(0, 0, t) += d_brought(b, i) * static_cast<T>(x[i]);
      }
  });
  own.attention.weigh_backward(compute.team, d_weights);
  for (Index t = 0; t < items.columns; ++t)
    *of_position(t, *trace.batch, logits_->gradient, shared_ ? logit_of_marked_->gradient : nullptr) +=
        d_weights(0, 0, t);
}

const RegisterModel<SparseAttention> sparse_attention(
    "sparse-attention", "attention by position alone, and one linear map of the attended vector");

}  // namespace

}  // namespace fovea
