// Model `unigram-gate` (room model), the toy gate for any words: a class weight β_v and an attention logit a_v for
// each of V tokens. lab/spec makes it by name for a run. It writes only traces and gradients. B sequences x_b.
// Forward:
//
//   p_b  = softmax over l of a_{x_bl}, or held      (B,1,L), nn/attention/attention.h
//   s_b  = Σ_l p_bl β_{x_bl} + c                     (B,1), the logit of class 1; c is there with bias = true only
//   loss = 1/B Σ_b log(1 + e^{-s_b}) for label 1, log(1 + e^{s_b}) for label 0
//
// Backward:
//
//   ds_b  = (logistic(s_b) - label_b) / B
//   dβ_v  = Σ_{b,l: x_bl = v} ds_b p_bl
//   da_v  = Σ_{b,l: x_bl = v} ds_b p_bl (β_v + c - s_b)     over sequences whose attention is not held
//   dc    = Σ_b ds_b
//
// Its flow is theory/unigram_gate.h.
#include <algorithm>

#include "fovea/math/vector_math.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

template <class T>
class UnigramGate : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.number("beta_spread", beta_spread_, 0, 1e30, "standard deviation of the class weights at the start");
    fields.number("logit_spread", logit_spread_, 0, 1e30, "standard deviation of the attention logits at the start");
    fields.flag("bias", with_bias_, "constant evidence for class 1, for classes without a word that indicates them");
  }

  Kind takes() const override { return Kind::labelled_tokens; }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.classes != 2) {
      throw wrong_input("model 'unigram-gate' needs two classes, and the task has " + std::to_string(shape.classes),
                        "use a task of two classes");
    }
    beta_ = &parameters.add("beta", {shape.vocab}, Init::normal(beta_spread_));
    logits_ = &parameters.add("a", {shape.vocab}, Init::normal(logit_spread_), Group::attention);
    if (with_bias_) bias_ = &parameters.add("bias", {1}, Init::constant(0));
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;
  bool has_beta() const override { return true; }
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override;
  // (B,L,2): class weight and attention logit of each word
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;

 private:
  // Of a forward.
  struct TraceArrays {
    Cube<T> betas;           // (B,1,L)
    Matrix<T> d_scores;      // (B,1)
    Attention<T> attention;  // (B,1,L)
  };
  double beta_spread_ = 0, logit_spread_ = 0;
  bool with_bias_ = false;
  Param<T>* beta_ = nullptr;
  Param<T>* logits_ = nullptr;
  Param<T>* bias_ = nullptr;  // "c", where there is one
};

// tokens (B,L) -> attention (B,1,L), scores (B,1)
template <class T>
Trace<T> UnigramGate<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Tokens& tokens = batch.source;
  own.betas = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  const Cube<T> attention = trace.attention = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  const Matrix<T> scores = trace.scores = compute.template array<T>(tokens.rows, 1);
  own.d_scores = compute.template array<T>(tokens.rows, 1);
  for (int b = 0; b < tokens.rows; ++b) {
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      own.betas(b, 0, l) = beta_->value[tokens.at(b, l)];
      attention(b, 0, l) = logits_->value[tokens.at(b, l)];
    }
  }
  const AttentionRule rule = pass.rules.of(1, 1);
  own.attention =
      Attention<T>::over(compute, attention, tokens.lengths, rule, right_positions(compute.arena, batch, rule));
  own.attention.weigh(compute.team);
  for (int b = 0; b < tokens.rows; ++b) {
    scores(b, 0) = dot(std::span<const T>(attention[b].flat()), std::span<const T>(own.betas[b].flat())) +
                   (bias_ ? *bias_->value : T{0});
  }
  trace.answers = batch.labels;
  trace.loss = logistic_loss<T>(compute, scores.flat(), batch.labels, own.d_scores.flat());
  trace.keep(compute, own);
  return trace;
}

template <class T>
void UnigramGate<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const Tokens& tokens = trace.batch->source;
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Cube<T> dlogits = compute.template array<T>(tokens.rows, 1, tokens.columns);
  for (int b = 0; b < tokens.rows; ++b) {
    for (int l = 0; l < tokens.columns; ++l) dlogits(b, 0, l) = own.d_scores(b, 0) * own.betas(b, 0, l);
  }
  own.attention.weigh_backward(compute.team, dlogits);
  for (int b = 0; b < tokens.rows; ++b) {
    if (bias_) *bias_->gradient += own.d_scores(b, 0);
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      const int token = tokens.at(b, l);
      beta_->gradient[token] += own.d_scores(b, 0) * trace.attention(b, 0, l);
      logits_->gradient[token] += dlogits(b, 0, l);
    }
  }
}

template <class T>
Cube<T> UnigramGate<T>::beta(Compute& compute, const Trace<T>& trace) const {
  const Cube<T>& betas = trace.template own<TraceArrays>().betas;
  const Cube<T> signed_betas = compute.template array<T>(betas.size(0), 1, betas.size(2));
  for (Index b = 0; b < betas.size(0); ++b) {
    const T sign = trace.batch->labels[static_cast<std::size_t>(b)] == 1 ? T{1} : T{-1};
    for (Index l = 0; l < betas.size(2); ++l) signed_betas(b, 0, l) = sign * betas(b, 0, l);
  }
  return signed_betas;
}

template <class T>
Cube<T> UnigramGate<T>::states(Compute& compute, const Trace<T>& trace) const {
  const Tokens& tokens = trace.batch->source;
  const Cube<T> states = compute.template zeros<T>(tokens.rows, tokens.columns, 2);
  for (int b = 0; b < tokens.rows; ++b) {
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      states(b, l, 0) = beta_->value[tokens.at(b, l)];
      states(b, l, 1) = logits_->value[tokens.at(b, l)];
    }
  }
  return states;
}

const RegisterModel<UnigramGate> unigram_gate("unigram-gate", "a class weight and an attention logit for each token");

}  // namespace

}  // namespace fovea
