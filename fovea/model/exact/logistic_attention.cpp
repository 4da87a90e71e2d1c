// Model `logistic-attention` (room model/exact): one attention map that learns by a logistic loss, with given values.
// lab/spec makes it by name for a run. It writes only traces and gradients. Sequence b has T tokens x_bt (d), each
// with a value u_bt, and a query z_b and a label y_b = 1 or -1:
//
//   s_bt  = x_bt . W z_b                W (d,d); or W = sum_r k_r q_r', of keys and queries k, q (d,d)
//   p_b   = softmax(s_b)
//   f_b   = sum_t p_bt u_bt
//   loss  = mean_b log(1 + exp(-y_b f_b))
//
// Backward, with e_b = -y_b / (1 + exp(y_b f_b)) / B. Differences of values are taken before they are weighted, so
// that nothing cancels where one weight is nearly 1:
//
//   ds_bt = e_b p_bt sum_v p_bv (u_bt - u_bv)
//   dW    = sum_bt ds_bt x_bt z_b'      dk_r = dW q_r      dq_r = dW' k_r
//
// W starts at 0. Its direction after long descent is theory/exact/max_margin.h.
#include <cmath>

#include "fovea/math/logistic.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/attention/attention.h"

namespace fovea {

namespace {

template <class T>
class LogisticAttention final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.choice("form", form_, {{"merged", Form::merged}, {"separate", Form::separate}},
                  "whether keys and queries are one matrix or two");
    fields.number("start", start_, 0, 1e6, "0 of one matrix; of two, √(1 / (3 width))",
                  "standard deviation of the matrices at the start");
  }

  Kind takes() const override { return Kind::points; }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }
  AttentionMeaning attention_meaning() const override { return {AttentionRows::example, AttentionColumns::item}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.value_width != 1 || shape.most_items < 2)
      throw wrong_input("model 'logistic-attention' weighs tokens that have one value each", "use task 'max-margin'");
    const double separate = std::sqrt(1.0 / (3.0 * shape.width));
    const Init init = Init::normal(start_.value_or(form_ == Form::merged ? 0 : separate));
    for (const char* const name : form_ == Form::merged ? std::vector{"key_query"} : std::vector{"key", "query"})
      matrices_.push_back(&parameters.add(name, {shape.width, shape.width}, init, Group::attention));
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class Form { merged, separate };
  struct TraceArrays {
    Attention<T> attention;  // (B,1,T)
  };

  // W, or of keys and queries their product.
  Matrix<T> map(Compute& compute) const {
    const Matrix<T> first = matrices_[0]->matrix();
    if (form_ == Form::merged) return first;
    const Matrix<T> second = matrices_[1]->matrix(), all = compute.zeros<T>(first.size(0), first.size(0));
    for (Index r = 0; r < first.size(0); ++r)
      for (Index i = 0; i < first.size(0); ++i)
        for (Index j = 0; j < first.size(0); ++j) all(i, j) += first(r, i) * second(r, j);
    return all;
  }

  Form form_ = Form::merged;
  std::optional<double> start_;
  std::vector<const Param<T>*> matrices_;  // W; or keys and queries, a row for each r
};

template <class T>
Trace<T> LogisticAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  const Index B = batch.size, tokens = batch.items.columns, d = batch.items.width;
  const Matrix<T> W = map(compute);
  const AttentionRule rule = pass.rules.of(1, 1);
  TraceArrays own{Attention<T>::make(compute, B, 1, tokens, {}, rule, right_positions(compute.arena, batch, rule))};
  const Matrix<T> asks = compute.zeros<T>(B, d);
  trace.predictions = compute.zeros<T>(B, 1);
  for (Index b = 0; b < B; ++b) {
    const int example = static_cast<int>(b);
    const float* const z = batch.queries.item(example, 0);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j) asks(b, i) += W(i, j) * static_cast<T>(z[j]);
    for (Index t = 0; t < tokens; ++t) {
      const float* const x = batch.items.item(example, static_cast<int>(t));
      T score = 0;
      for (Index i = 0; i < d; ++i) score += static_cast<T>(x[i]) * asks(b, i);
      own.attention.weights(b, 0, t) = score;
    }
  }
  own.attention.weigh(compute.team);
  for (Index b = 0; b < B; ++b) {
    const int example = static_cast<int>(b);
    for (Index t = 0; t < tokens; ++t)
      trace.predictions(b, 0) +=
          own.attention.weights(b, 0, t) * static_cast<T>(*batch.values.item(example, static_cast<int>(t)));
    const T label = static_cast<T>(*batch.answers.item(example, 0));
    trace.loss += static_cast<double>(softplus(-label * trace.predictions(b, 0))) / static_cast<double>(B);
  }
  if (!pass.training) trace.attention = own.attention.weights;
  trace.keep(compute, own);
  return trace;
}

template <class T>
void LogisticAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const Attention<T>& attention = trace.template own<TraceArrays>().attention;
  const Batch& batch = *trace.batch;
  const Index B = batch.size, tokens = batch.items.columns, d = batch.items.width;
  const Cube<T> d_weights = compute.array<T>(B, 1, tokens);
  const Matrix<T> dW = compute.zeros<T>(d, d);
  for (Index b = 0; b < B; ++b) {
    if (!attention.follows(b, 0)) continue;
    const int example = static_cast<int>(b);
    const T label = static_cast<T>(*batch.answers.item(example, 0));
    const T error = -label * logistic(-label * trace.predictions(b, 0)) / static_cast<T>(B);
    for (Index t = 0; t < tokens; ++t)
      d_weights(b, 0, t) = error * static_cast<T>(*batch.values.item(example, static_cast<int>(t)));
    attention.change_backward(b, d_weights);
    const Cube<T> alpha = attention.unscaled.empty() ? attention.weights : attention.unscaled;
    const float* const z = batch.queries.item(example, 0);
    for (Index t = 0; t < tokens; ++t) {
      T slope = 0;
      for (Index u = 0; u < tokens; ++u) slope += alpha(b, 0, u) * (d_weights(b, 0, t) - d_weights(b, 0, u));
      slope *= alpha(b, 0, t);
      const float* const x = batch.items.item(example, static_cast<int>(t));
      for (Index i = 0; i < d; ++i)
        for (Index j = 0; j < d; ++j) dW(i, j) += slope * static_cast<T>(x[i]) * static_cast<T>(z[j]);
    }
  }
  const Matrix<T> d_first = matrices_[0]->matrix_gradient();
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j) {
      if (form_ == Form::merged) {
        d_first(i, j) += dW(i, j);
        continue;
      }
      const Matrix<T> keys = matrices_[0]->matrix(), queries = matrices_[1]->matrix();
      for (Index r = 0; r < d; ++r) {
        d_first(r, i) += dW(i, j) * queries(r, j);
        matrices_[1]->matrix_gradient()(r, j) += dW(i, j) * keys(r, i);
      }
    }
}

const RegisterModel<LogisticAttention> logistic_attention(
    "logistic-attention", "one attention map over tokens with given values, and a logistic loss");

}  // namespace

}  // namespace fovea
