// Toy gate: two symbols, a weight beta for each, and one gate p on the second:
//
//   s(x) = (1 - p) beta_0 + p beta_1 where x holds both symbols, else beta of the one it holds.
//
// Parameters: beta0, beta1, and p or, for the bounded gate, a with p = logistic(a).
#include "fovea/model/toy_gate.h"

#include <algorithm>
#include <cmath>

#include "fovea/math/logistic.h"
#include "fovea/model/model.h"
#include "fovea/nn/attention/attention.h"

namespace fovea {

namespace {

template <class T>
class ToyGateModel : public Model<T> {
 public:
  void settings(Fields& fields) override {
    constexpr double huge = 1e30;
    fields.number("beta0", beta0_, -huge, huge, "class weight of symbol 0 at the start");
    fields.number("beta1", beta1_, -huge, huge, "class weight of symbol 1, the key, at the start");
    fields.number("scale", scale_, -huge, huge, "multiplies beta0 and beta1");
    fields.number("p", p_, -huge, huge, "attention on the key at the start");
    fields.choice("gate", variant_.gate,
                  {{"linear", ToyVariant::AccessCheck::linear}, {"bounded", ToyVariant::AccessCheck::bounded}},
                  "linear: p is free; bounded: p = logistic(a)");
    fields.choice("loss", variant_.loss,
                  {{"linear", ToyVariant::Loss::linear}, {"logistic", ToyVariant::Loss::logistic}},
                  "linear: s0 - s1; logistic: cross-entropy of both sequences");
  }

  Kind takes() const override { return Kind::labelled_tokens; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.vocab != 2 || shape.classes != 2) {
      throw wrong_input("model 'toy-gate' knows two symbols and two classes, and the task has " +
                            std::to_string(shape.vocab) + " symbols and " + std::to_string(shape.classes) + " classes",
                        "take task 'two-sequences', or model 'unigram-gate'");
    }
    const bool bounded = variant_.gate == ToyVariant::AccessCheck::bounded;
    if (bounded && !(p_ > 0 && p_ < 1)) {
      throw wrong_input("model 'toy-gate': the bounded gate's p must be between 0 and 1",
                        "set p inside, or gate to \"linear\"");
    }
    beta_[0] = &parameters.add("beta0", {1}, Init::constant(scale_ * beta0_));
    beta_[1] = &parameters.add("beta1", {1}, Init::constant(scale_ * beta1_));
    gate_ = bounded ? &parameters.add("a", {1}, Init::constant(std::log(p_) - std::log1p(-p_)), Group::attention)
                    : &parameters.add("p", {1}, Init::constant(p_), Group::attention);
  }

  Outcome<T> forward(Compute& compute, const Batch& batch, const Pass& pass) override;
  void backward(Compute& compute) override;
  bool has_beta() const override { return true; }
  Cube<T> beta(Compute& compute) override;

 private:
  T beta_of(int symbol) const { return *beta_[symbol]->value; }

  ToyVariant variant_;
  double beta0_ = 0, beta1_ = 0, scale_ = 1, p_ = 0.5;
  Param<T>* beta_[2] = {nullptr, nullptr};
  Param<T>* gate_ = nullptr;

  // Of the last forward.
  const Batch* batch_ = nullptr;
  T slope_ = 0;                   // dp / d parameter
  Matrix<T> score_gradients_;     // (B,1)
  Cube<T> attention_;             // (B,1,L)
  Cube<T> attention_slopes_;      // (B,1,L): d attention / d p
  std::span<std::uint8_t> held_;  // (B) 1 where attention is not the gate's
};

// tokens (B,L) -> attention (B,1,L), scores (B,1). A symbol that stands several times shares its weight out.
template <class T>
Outcome<T> ToyGateModel<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) {
  const Tokens& tokens = batch.source;
  batch_ = &batch;
  const T p = variant_.gate == ToyVariant::AccessCheck::bounded ? logistic(*gate_->value) : *gate_->value;
  slope_ = variant_.gate == ToyVariant::AccessCheck::bounded ? p * (1 - p) : T{1};
  attention_ = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  attention_slopes_ = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  score_gradients_ = compute.template array<T>(tokens.rows, 1);
  Outcome<T> outcome;
  outcome.scores = compute.template zeros<T>(tokens.rows, 1);
  outcome.answers = batch.labels;
  outcome.attention = attention_;

  for (int b = 0; b < tokens.rows; ++b) {
    const int length = tokens.lengths[static_cast<std::size_t>(b)];
    int count[2] = {0, 0};
    for (int l = 0; l < length; ++l) ++count[tokens.at(b, l)];
    const bool gated = count[0] > 0 && count[1] > 0;
    for (int l = 0; l < length; ++l) {
      const int symbol = tokens.at(b, l);
      const T n = static_cast<T>(count[symbol]);
      attention_(b, 0, l) = (!gated ? T{1} : symbol == 1 ? p : 1 - p) / n;
      attention_slopes_(b, 0, l) = (!gated ? T{0} : symbol == 1 ? T{1} : T{-1}) / n;
    }
  }
  held_ = compute.arena.take_zeros<std::uint8_t>(static_cast<std::size_t>(tokens.rows));
  if (pass.attend == Attend::uniform) {
    hold_uniform<T>(tokens.lengths, attention_);
    std::fill(held_.begin(), held_.end(), std::uint8_t{1});
  } else if (pass.attend == Attend::truth && !batch.marked.empty()) {
    hold_marked<T>(batch.marked, attention_, held_);
  }

  // The loss of docs/method.md is a sum over the two sequences: twice the mean of a batch that holds both equally
  // often.
  const T weight = T{2} / static_cast<T>(tokens.rows);
  for (int b = 0; b < tokens.rows; ++b) {
    T score = 0;
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      score += attention_(b, 0, l) * beta_of(tokens.at(b, l));
    }
    const bool positive = batch.labels[static_cast<std::size_t>(b)] == 1;
    const T wrong = positive ? -score : score;  // what the loss pushes down
    outcome.scores(b, 0) = score;
    const bool linear = variant_.loss == ToyVariant::Loss::linear;
    outcome.loss += static_cast<double>(weight * (linear ? wrong : softplus(wrong)));
    score_gradients_(b, 0) = (positive ? -weight : weight) * (linear ? T{1} : logistic(wrong));
  }
  return outcome;
}

template <class T>
void ToyGateModel<T>::backward(Compute&) {
  const Tokens& tokens = batch_->source;
  for (int b = 0; b < tokens.rows; ++b) {
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      const int symbol = tokens.at(b, l);
      *beta_[symbol]->gradient += score_gradients_(b, 0) * attention_(b, 0, l);
      if (held_[static_cast<std::size_t>(b)]) continue;
      *gate_->gradient += score_gradients_(b, 0) * beta_of(symbol) * attention_slopes_(b, 0, l) * slope_;
    }
  }
}

template <class T>
Cube<T> ToyGateModel<T>::beta(Compute& compute) {
  const Tokens& tokens = batch_->source;
  const Cube<T> beta = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  for (int b = 0; b < tokens.rows; ++b) {
    const T sign = batch_->labels[static_cast<std::size_t>(b)] == 1 ? T{1} : T{-1};
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      beta(b, 0, l) = sign * beta_of(tokens.at(b, l));
    }
  }
  return beta;
}

const RegisterModel<ToyGateModel> toy_gate("toy-gate", "two symbols, one gate: attention's dynamics in three numbers");

}  // namespace

}  // namespace fovea
