// Model `linear-attention` (room model/exact): linear attention that learns regression in context. lab/spec makes it
// by name for a run. It writes only traces and gradients. B examples of N pairs (x_n, y_n) and a query x_q, of width
// D; H heads. Forward:
//
//   beta_b = 1/N sum_n y_bn x_bn                           beta (B,D)
//   U_h    a matrix of its own (D,D)                       merged keys and queries
//   U_h    = sum_r k_hr q_hr'                              separate ones: k, q (H,R,D), of rank R
//   M      = sum_h v_h U_h                                 v (H), M (D,D)
//   yhat_b = beta_b' M x_bq                                each head's v_h sum_n y_n (k_h . x_n)(q_h . x_q) / N
//   loss   = 1/B sum_b (yhat_b - y_bq)^2
//
// Backward, with e_b = 2 (yhat_b - y_bq) / B:
//
//   dM     = sum_b e_b beta_b x_bq'
//   dv_h   = sum_ij (U_h)_ij dM_ij                         dU_h = v_h dM
//   dk_hr  = dU_h q_hr                                     dq_hr = dU_h' k_hr
//
// theory/exact/linear_icl.h predicts the plateaus of its loss and the duration of its drop.
#include <fmt/format.h>

#include <algorithm>

#include "fovea/model/model.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

template <class T>
class LinearAttention final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.choice("form", form_, {{"merged", Form::merged}, {"separate", Form::separate}},
                  "one matrix for keys and queries of a head, or two");
    fields.integer("heads", heads_, 1, 10'000, "number of heads");
    fields.integer("rank", rank_, 1, 10'000, "rank of the separate keys and queries of a head");
    fields.only_of("form \"separate\"", [this] { return form_ == Form::separate; });
    fields.number("start", start_, 0, 1e6, "standard deviation of all parameters at the start");
  }

  Kind takes() const override { return Kind::points; }
  typename Model<T>::Attends attends(const Batch&) const override { return Model<T>::Attends::no; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.value_width != 1 || shape.most_items == 0)
      throw wrong_input(
          "model 'linear-attention' needs a task whose examples have their own pairs and one number as answer",
          "use task 'linear-icl'");
    width_ = shape.width;
    const Init init = Init::normal(start_);
    value_ = &parameters.add("value", {heads_}, init);
    if (form_ == Form::merged) {
      key_query_ = &parameters.add("key_query", {heads_, width_, width_}, init, Group::attention);
      return;
    }
    key_ = &parameters.add("key", {heads_, rank_, width_}, init, Group::attention);
    query_ = &parameters.add("query", {heads_, rank_, width_}, init, Group::attention);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class Form { merged, separate };
  struct TraceArrays {
    Matrix<T> beta, query;  // (B,D)
    Cube<T> heads;          // U (H,D,D)
    Matrix<T> error;        // e (B,1)
  };

  Cube<T> matrices(Compute& compute) const;

  // The r-th of a head's keys or queries.
  static std::span<T> row(std::span<T> all, Index head, Index rank, Index r, Index width) {
    return all.subspan(static_cast<std::size_t>((head * rank + r) * width), static_cast<std::size_t>(width));
  }

  Form form_ = Form::merged;
  int heads_ = 8, rank_ = 1;
  double start_ = 0.01;
  int width_ = 0;
  const Param<T>* value_ = nullptr;
  const Param<T>*key_query_ = nullptr, *key_ = nullptr, *query_ = nullptr;
};

template <class T>
Cube<T> LinearAttention<T>::matrices(Compute& compute) const {
  if (form_ == Form::merged) return Cube<T>(key_query_->value, heads_, width_, width_);
  const Cube<T> all = compute.zeros<T>(heads_, width_, width_);
  for (Index h = 0; h < heads_; ++h)
    for (Index r = 0; r < rank_; ++r) {
      const auto key = row(key_->values(), h, rank_, r, width_), query = row(query_->values(), h, rank_, r, width_);
      for (Index i = 0; i < width_; ++i)
        for (Index j = 0; j < width_; ++j)
          all(h, i, j) += key[static_cast<std::size_t>(i)] * query[static_cast<std::size_t>(j)];
    }
  return all;
}

template <class T>
Trace<T> LinearAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index B = batch.size, D = width_;
  own.heads = matrices(compute);
  const Matrix<T> map = compute.zeros<T>(D, D);
  for (Index h = 0; h < heads_; ++h)
    for (Index i = 0; i < D * D; ++i)
      map.flat()[static_cast<std::size_t>(i)] += value_->value[h] * own.heads[h].flat()[static_cast<std::size_t>(i)];
  own.beta = compute.zeros<T>(B, D);
  own.query = compute.array<T>(B, D);
  trace.predictions = compute.zeros<T>(B, 1);
  const Matrix<T> truth = compute.array<T>(B, 1);
  compute.team.split(B, 256, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const int example = static_cast<int>(b);
      const float* const y = batch.values.item(example, 0);
      for (int n = 0; n < batch.items.columns; ++n)
        for (Index d = 0; d < D; ++d)
          own.beta(b, d) += static_cast<T>(y[n]) * static_cast<T>(batch.items.item(example, n)[d]);
      for (Index d = 0; d < D; ++d) {
        own.beta(b, d) /= static_cast<T>(batch.items.columns);
        own.query(b, d) = static_cast<T>(batch.queries.item(example, 0)[d]);
      }
      for (Index i = 0; i < D; ++i)
        for (Index j = 0; j < D; ++j) trace.predictions(b, 0) += own.beta(b, i) * map(i, j) * own.query(b, j);
      truth(b, 0) = static_cast<T>(*batch.answers.item(example, 0));
    }
  });
  own.error = pass.training ? compute.array<T>(B, 1) : Matrix<T>();
  trace.loss = squared_error<T>(compute, trace.predictions.flat(), truth.flat(),
                                pass.training ? own.error.flat() : std::span<T>());
  trace.keep(compute, own);
  return trace;
}

template <class T>
void LinearAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Index D = width_;
  const Matrix<T> d_map = compute.zeros<T>(D, D);
  for (Index b = 0; b < own.beta.size(0); ++b)
    for (Index i = 0; i < D; ++i)
      for (Index j = 0; j < D; ++j) d_map(i, j) += own.error(b, 0) * own.beta(b, i) * own.query(b, j);
  for (Index h = 0; h < heads_; ++h) {
    const T value = value_->value[h];
    for (Index i = 0; i < D; ++i)
      for (Index j = 0; j < D; ++j) {
        value_->gradient[h] += own.heads(h, i, j) * d_map(i, j);
        const T d = value * d_map(i, j);
        if (form_ == Form::merged) key_query_->gradient[(h * D + i) * D + j] += d;
        for (Index r = 0; form_ == Form::separate && r < rank_; ++r) {
          const Index at = (h * rank_ + r) * D;
          key_->gradient[at + i] += d * query_->value[at + j];
          query_->gradient[at + j] += d * key_->value[at + i];
        }
      }
  }
}

const RegisterModel<LinearAttention> linear_attention("linear-attention",
                                                      "heads of linear attention that learn regression in context");

}  // namespace

}  // namespace fovea
