// Model `toy-gate` (room model): two symbols, a weight β for each, and one gate p on the second. lab/spec makes it by
// name for a run. It writes only traces and gradients. B sequences x_b; if symbol i occurs n_i times in one, each of
// its positions gets its share of the weight. Forward:
//
//   p     = the parameter, or logistic(a) for the bounded gate
//   w_bl  = p / n_1 where x_bl = 1, (1 - p) / n_0 where x_bl = 0     if the sequence has both symbols
//   w_bl  = 1 / n_i                                                  if it has symbol i alone
//   w_bl  = as the pattern of the hold                               if attention is held
//   s_b   = Σ_l w_bl β_{x_bl}                                        w (B,1,L), s (B,1)
//   y_b   = s_b where label_b = 0, -s_b where label_b = 1
//   loss  = 2/B Σ_b y_b (linear), 2/B Σ_b log(1 + e^{y_b}) (logistic)
//
// Backward:
//
//   ds_b  = ± 2/B (linear), ± 2/B logistic(y_b) (logistic), + for label 0, - for label 1
//   dβ_i  = Σ_b ds_b Σ_{l: x_bl = i} w_bl
//   dp    = Σ_b ds_b Σ_l β_{x_bl} dw_bl/dp       dw_bl/dp = 1 / n_1 where x_bl = 1, -1 / n_0 where x_bl = 0; it is 0
//                                                if the sequence has one symbol alone or attention is held
//   da    = p (1 - p) dp                         the bounded gate
#include "fovea/model/toy_gate.h"

#include <algorithm>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
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
    fields.choice("gate", variant_.gate, {{"linear", ToyVariant::Gate::linear}, {"bounded", ToyVariant::Gate::bounded}},
                  "linear: p is free; bounded: p = logistic(a)");
    fields.choice("loss", variant_.loss,
                  {{"linear", ToyVariant::Loss::linear}, {"logistic", ToyVariant::Loss::logistic}},
                  "linear: s0 - s1; logistic: cross-entropy of both sequences");
  }

  Kind takes() const override { return Kind::labelled_tokens; }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.vocab != 2 || shape.classes != 2) {
      throw wrong_input(
          "model 'toy-gate' needs two symbols and two classes, and the task has " + std::to_string(shape.vocab) +
              " symbols and " + std::to_string(shape.classes) + " classes",
          "give the task two symbols and two classes, as task 'two-sequences' has by default, or use model "
          "'unigram-gate' and leave 'toy-flow' out of probe.names");
    }
    const bool bounded = variant_.gate == ToyVariant::Gate::bounded;
    if (bounded && !(p_ > 0 && p_ < 1)) {
      throw wrong_input("model 'toy-gate': the bounded gate's p must be between 0 and 1",
                        "set p inside, or gate to \"linear\"");
    }
    beta_[0] = &parameters.add("beta0", {1}, Init::constant(scale_ * beta0_));
    beta_[1] = &parameters.add("beta1", {1}, Init::constant(scale_ * beta1_));
    gate_ = bounded ? &parameters.add("a", {1}, Init::constant(math::log(p_) - math::log1p(-p_)), Group::attention)
                    : &parameters.add("p", {1}, Init::constant(p_), Group::attention);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;
  bool has_beta() const override { return true; }
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override;

 private:
  // Of a forward.
  struct TraceArrays {
    T slope = 0;             // dp / d parameter
    Matrix<T> d_scores;      // (B,1)
    Cube<T> slopes;          // (B,1,L): d attention / d p
    Attention<T> attention;  // (B,1,L)
  };
  T beta_of(int symbol) const { return *beta_[symbol]->value; }

  ToyVariant variant_;
  double beta0_ = 0, beta1_ = 0, scale_ = 1, p_ = 0.5;
  Param<T>* beta_[2] = {nullptr, nullptr};
  Param<T>* gate_ = nullptr;
};

// tokens (B,L) -> attention (B,1,L), scores (B,1). A symbol that stands several times shares its weight out.
template <class T>
Trace<T> ToyGateModel<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Tokens& tokens = batch.source;
  const T p = variant_.gate == ToyVariant::Gate::bounded ? logistic(*gate_->value) : *gate_->value;
  own.slope = variant_.gate == ToyVariant::Gate::bounded ? p * (1 - p) : T{1};
  const Cube<T> attention = trace.attention = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  const AttentionRule rule = pass.rules.of(1, 1);
  own.attention =
      Attention<T>::over(compute, attention, tokens.lengths, rule, right_positions(compute.arena, batch, rule));
  own.slopes = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  own.d_scores = compute.template array<T>(tokens.rows, 1);
  trace.scores = compute.template zeros<T>(tokens.rows, 1);
  trace.answers = batch.labels;

  for (int b = 0; b < tokens.rows; ++b) {
    const int length = tokens.lengths[static_cast<std::size_t>(b)];
    int count[2] = {0, 0};
    for (int l = 0; l < length; ++l) ++count[tokens.at(b, l)];
    const bool gated = count[0] > 0 && count[1] > 0;
    for (int l = 0; l < length; ++l) {
      const int symbol = tokens.at(b, l);
      const T n = static_cast<T>(count[symbol]);
      attention(b, 0, l) = (!gated ? T{1} : symbol == 1 ? p : 1 - p) / n;
      own.slopes(b, 0, l) = (!gated ? T{0} : symbol == 1 ? T{1} : T{-1}) / n;
    }
  }
  own.attention.apply_rule(compute.team);
  for (int b = 0; b < tokens.rows; ++b) own.attention.change_backward(b, own.slopes);

  // The loss of docs/reference/toy-gate.md is a sum over the two sequences: twice the mean of a batch that holds both
  // equally often.
  const T weight = T{2} / static_cast<T>(tokens.rows);
  for (int b = 0; b < tokens.rows; ++b) {
    T score = 0;
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      score += attention(b, 0, l) * beta_of(tokens.at(b, l));
    }
    const bool positive = batch.labels[static_cast<std::size_t>(b)] == 1;
    const T wrong = positive ? -score : score;  // what the loss pushes down
    trace.scores(b, 0) = score;
    const bool linear = variant_.loss == ToyVariant::Loss::linear;
    trace.loss += static_cast<double>(weight * (linear ? wrong : softplus(wrong)));
    own.d_scores(b, 0) = (positive ? -weight : weight) * (linear ? T{1} : logistic(wrong));
  }
  trace.keep(compute, own);
  return trace;
}

template <class T>
void ToyGateModel<T>::backward(Compute&, const Trace<T>& trace) const {
  const Tokens& tokens = trace.batch->source;
  const TraceArrays& own = trace.template own<TraceArrays>();
  for (int b = 0; b < tokens.rows; ++b) {
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      const int symbol = tokens.at(b, l);
      *beta_[symbol]->gradient += own.d_scores(b, 0) * trace.attention(b, 0, l);
      if (!own.attention.follows(b, 0)) continue;
      *gate_->gradient += own.d_scores(b, 0) * beta_of(symbol) * own.slopes(b, 0, l) * own.slope;
    }
  }
}

template <class T>
Cube<T> ToyGateModel<T>::beta(Compute& compute, const Trace<T>& trace) const {
  const Tokens& tokens = trace.batch->source;
  const Cube<T> beta = compute.template zeros<T>(tokens.rows, 1, tokens.columns);
  for (int b = 0; b < tokens.rows; ++b) {
    const T sign = trace.batch->labels[static_cast<std::size_t>(b)] == 1 ? T{1} : T{-1};
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(b)]; ++l) {
      beta(b, 0, l) = sign * beta_of(tokens.at(b, l));
    }
  }
  return beta;
}

const RegisterModel<ToyGateModel> toy_gate("toy-gate",
                                           "two symbols, one gate: attention's dynamics with three parameters");

}  // namespace

}  // namespace fovea
