// Model `feature-attention` (room model/items): a weight for each of D features, all summing to 1, and an MLP of the
// re-weighted input. lab/spec makes it by name for a run. It writes only traces and gradients. B examples, x (B,D).
// Forward:
//
//   a_b     = a                                       gate "free": a (D), the same for every example
//   a_b     = W1 leaky_relu(W0 x_b + b0) + b1         gate "input": W0 (G,D), W1 (D,G)
//   w_b     = softmax(a_b), or held                   (B,1,D), nn/attention/attention.h
//   z_b     = g U (w_b ⊙ x_b) + u                     U (H,D); g = 1, or D with `rescale` (uniform weights feed x)
//   logit_b = MLP(leaky_relu(z_b))                    (B,C), one column for two classes
//   loss    = 1/B Σ_b cross-entropy(logit_b, label_b)
//
// Backward: dlogit through the MLP gives dz (B,H); then
//
//   dU      = g Σ_b dz_b (w_b ⊙ x_b)ᵀ                 du = Σ_b dz_b
//   dw_b    = g x_b ⊙ Uᵀ dz_b
//   da_b    = w_b ⊙ (dw_b - Σ_d w_bd dw_bd)           0 where the weights are held
//   da      = Σ_b da_b                                gate "free"; gate "input": da_b goes back through its network
//
// Gate "none" feeds x itself: the baseline. A training pass of the free gate gives no attention in its outcome: the
// rows are all the same, and for many features writing them would cost as much as the pass.
#include "fovea/model/items/items.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/score.h"
#include "fovea/nn/gated_linear.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/mlp.h"

namespace fovea {

namespace {

template <class T>
class FeatureAttention : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.choice("gate", gate_, {{"free", Gate::free}, {"input", Gate::input}, {"none", Gate::none}},
                  "free: a logit per feature; input: logits are a network of x; none: no attention, the baseline");
    fields.integers("hidden", hidden_, 1, 1 << 20, "widths of the network's hidden layers (at least one)");
    fields.integer("gate_hidden", gate_hidden_, 1, 1 << 20, "gate input: width of its network's hidden layer");
    fields.only_of("gate \"input\"", [this] { return gate_ == Gate::input; });
    fields.flag("rescale", rescale_, "multiply the weighted input by the number of features");
    fields.only_of("gates \"free\" and \"input\"", [this] { return gate_ != Gate::none; });
  }

  Kind takes() const override { return Kind::labelled_vectors; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return gate_ == Gate::none ? Model<T>::Attends::no : Model<T>::Attends::by_score;
  }
  typename Model<T>::Heads heads() const override {
    return {.each = std::vector<int>(gate_ == Gate::none ? 0u : 1u, 1)};
  }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (hidden_.empty())
      throw wrong_input("model 'feature-attention' has no hidden layer", "set hidden to a list such as [64]");
    features_ = shape.width;
    classes_ = shape.classes;
    if (gate_ == Gate::free)
      logits_ = &parameters.add("attention.logits", {features_}, Init::constant(0), Group::attention);
    if (gate_ == Gate::input) {
      gate_in_ = GatedLinear<T>::declare(parameters, "attention.0", features_, gate_hidden_, Group::attention);
      gate_out_ = Linear<T>::declare(parameters, "attention.1", gate_hidden_, features_, Group::attention);
    }
    first_ = GatedLinear<T>::declare(parameters, "mlp.0", features_, hidden_[0]);
    first_.gain = rescale_ && gate_ != Gate::none ? static_cast<T>(features_) : T{1};
    std::vector<Index> sizes(hidden_.begin(), hidden_.end());
    sizes.push_back(classes_ == 2 ? 1 : classes_);
    rest_ = Mlp<T>::declare(parameters, "mlp", sizes, between_, false, 1);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class Gate { free, input, none };

  // Of a forward.
  struct TraceArrays {
    Operand<T> x;                 // (B,D)
    Attention<T> attention;       // (1,1,D) shared by all examples, or (B,1,D); empty for none
    Matrix<T> gate_activations;   // (B,G)
    Matrix<T> first_activations;  // (B,H)
    typename Mlp<T>::Trace rest;
    Matrix<T> d_scores;  // (B, 1 or classes)
  };
  void weigh(Compute& compute, const Batch& batch, const Pass& pass, TraceArrays& own) const;

  Gate gate_ = Gate::free;
  std::vector<int> hidden_ = {64};
  int gate_hidden_ = 64;
  bool rescale_ = false;
  Activation between_ = Activation::leaky_relu();

  Index features_ = 0, classes_ = 0;
  const Param<T>* logits_ = nullptr;  // (D)
  GatedLinear<T> gate_in_;            // x -> (B,G)
  Linear<T> gate_out_;                // (B,G) -> (B,D)
  GatedLinear<T> first_;              // g (w ⊙ x) -> (B,H)
  Mlp<T> rest_;
};

// Fills the attention, and what it was made from.
template <class T>
void FeatureAttention<T>::weigh(Compute& compute, const Batch& batch, const Pass& pass, TraceArrays& own) const {
  if (gate_ == Gate::none) return;
  const AttentionRule rule = pass.rules.of(1, 1);
  const RightPositions right = right_positions(compute.arena, batch, rule);
  const Index examples = own.x.rows;
  const bool alike = right.empty() && (!rule.by_score() || gate_ == Gate::free);  // all rows
  own.attention = Attention<T>::make(compute, alike ? 1 : examples, 1, features_, {}, rule, right);
  const Matrix<T> logits = own.attention.weights.as(alike ? 1 : examples, features_);
  if (rule.by_score() && gate_ == Gate::input) {
    own.gate_activations = gate_in_.forward(compute, own.x, {});
    activate<T>(compute.team, between_, own.gate_activations.flat(), own.gate_activations.flat());
    gate_out_.forward_into(compute, own.gate_activations, logits);
  } else if (rule.by_score()) {
    for (Index b = 0; b < logits.size(0); ++b) std::copy_n(logits_->value, features_, logits[b].data());
  }
  own.attention.weigh(compute.team);
}

// items (B,1,D) -> attention (B,1,D), scores (B,classes), or (B,1) for two classes
template <class T>
Trace<T> FeatureAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  own.x = operand_of<T>(compute, batch.items);
  const Index rows = own.x.rows;
  weigh(compute, batch, pass, own);
  const Matrix<const T> w(own.attention.weights.data(), own.attention.weights.size(0), features_);
  own.first_activations = first_.forward(compute, own.x, w);
  activate<T>(compute.team, between_, own.first_activations.flat(), own.first_activations.flat());
  own.rest = rest_.forward(compute, own.first_activations);
  const Matrix<T> scores = own.rest.output();

  own.d_scores = compute.array<T>(rows, scores.size(1));
  trace.loss = classes_ == 2 ? logistic_loss<T>(compute, scores.flat(), batch.labels, own.d_scores.flat())
                             : cross_entropy<T>(compute, scores, batch.labels, own.d_scores);
  trace.scores = scores;
  trace.answers = batch.labels;
  if (own.attention.weights.size(0) == rows) {
    trace.attention = own.attention.weights;
  } else if (gate_ != Gate::none && !pass.training) {
    trace.attention = compute.array<T>(rows, 1, features_);
    for (Index b = 0; b < rows; ++b) std::copy_n(own.attention.weights.data(), features_, trace.attention[b].data());
  }
  trace.keep(compute, own);
  return trace;
}

template <class T>
void FeatureAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  using Wants = typename Mlp<T>::Wants;
  const Matrix<T> d = rest_.backward(compute, own.rest, own.d_scores, Wants::input_gradient);
  activate_backward<T>(compute.team, between_, own.first_activations.flat(), d.flat(), d.flat());
  const Index rows = own.attention.weights.size(0);
  const Matrix<const T> w(own.attention.weights.data(), rows, features_);
  const bool learned = gate_ != Gate::none && own.attention.by_score();
  const Matrix<T> dw = learned ? compute.array<T>(rows, features_) : Matrix<T>();
  first_.backward(compute, own.x, w, d, dw);
  if (!learned) return;

  own.attention.weigh_backward(compute.team, dw.as(rows, 1, features_));
  if (gate_ == Gate::free) {
    add_rows<T>(compute.team, dw, logits_->vector_gradient());
    return;
  }
  const Matrix<T> dgate = gate_out_.backward(compute, own.gate_activations, dw);
  activate_backward<T>(compute.team, between_, own.gate_activations.flat(), dgate.flat(), dgate.flat());
  gate_in_.backward(compute, own.x, {}, dgate, {});
}

const RegisterModel<FeatureAttention> feature_attention_model(
    "feature-attention", "a weight for each feature of a vector, and an MLP of the result");

}  // namespace

}  // namespace fovea
