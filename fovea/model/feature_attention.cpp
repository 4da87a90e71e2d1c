// Feature attention: a weight for each feature of x, all summing to 1, and an MLP of the re-weighted input.
//
//   w = softmax(logits)        gate "free":  one learned logit per feature, the same for every example
//                              gate "input": logits are a network of x
//   scores = mlp(g (w ⊙ x))    g is 1, or D with `rescale`: uniform weights then feed x itself
//
// Gate "none" feeds x itself: the baseline. A training pass of the free gate gives no attention in its outcome: the
// rows are all the same, and for many features writing them would cost as much as the pass.
#include "fovea/model/items.h"
#include "fovea/model/model.h"
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
    fields.choice("gate", gate_,
                  {{"free", AccessCheck::free}, {"input", AccessCheck::input}, {"none", AccessCheck::none}},
                  "free: a logit per feature; input: logits are a network of x; none: no attention, the baseline");
    fields.integers("hidden", hidden_, 1, 1 << 20, "widths of the network's hidden layers (at least one)");
    fields.integer("gate_hidden", gate_hidden_, 1, 1 << 20, "gate input: width of its network's hidden layer");
    fields.flag("rescale", rescale_, "multiply the weighted input by the number of features");
  }

  Kind takes() const override { return Kind::labelled_vectors; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return gate_ == AccessCheck::none ? Model<T>::Attends::no : Model<T>::Attends::by_score;
  }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (hidden_.empty())
      throw wrong_input("model 'feature-attention' has no hidden layer", "set hidden to a list such as [64]");
    features_ = shape.width;
    classes_ = shape.classes;
    if (gate_ == AccessCheck::free)
      logits_ = &parameters.add("attention.logits", {features_}, Init::constant(0), Group::attention);
    if (gate_ == AccessCheck::input) {
      gate_in_ = GatedLinear<T>::declare(parameters, "attention.0", features_, gate_hidden_, Group::attention);
      gate_out_ = Linear<T>::declare(parameters, "attention.1", gate_hidden_, features_, Group::attention);
    }
    first_ = GatedLinear<T>::declare(parameters, "mlp.0", features_, hidden_[0]);
    first_.gain = rescale_ && gate_ != AccessCheck::none ? static_cast<T>(features_) : T{1};
    std::vector<Index> sizes(hidden_.begin(), hidden_.end());
    sizes.push_back(classes_ == 2 ? 1 : classes_);
    rest_ = Mlp<T>::declare(parameters, "mlp", sizes, between_, false, 1);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class AccessCheck { free, input, none };

  // Of a forward.
  struct Own {
    Matrix<const T> x;                   // (B,D)
    Cube<T> weights;                     // (1,1,D) shared by all examples, or (B,1,D); empty for none
    std::span<const std::uint8_t> held;  // (rows of weights): 1 where the weights do not follow their scores
    bool learned = false;                // whether any weight follows its score
    Matrix<T> gate_activations;          // (B,G)
    Matrix<T> first_activations;         // (B,H)
    typename Mlp<T>::Trace rest;
    Matrix<T> d_scores;  // (B, 1 or classes)
  };
  void weigh(Compute& compute, const Batch& batch, const Pass& pass, Own& own) const;

  AccessCheck gate_ = AccessCheck::free;
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

// Fills the weights and what holds them.
template <class T>
void FeatureAttention<T>::weigh(Compute& compute, const Batch& batch, const Pass& pass, Own& own) const {
  own.learned = gate_ != AccessCheck::none && pass.attend != Attend::uniform;
  if (gate_ == AccessCheck::none) return;
  if (pass.attend == Attend::uniform) {
    own.weights = compute.array<T>(1, 1, features_);
    hold_uniform<T>({}, own.weights);
    return;
  }
  const Index rows = own.x.size(0);
  const bool forced = pass.attend == Attend::truth && !batch.marked.empty();
  own.weights = compute.array<T>(gate_ == AccessCheck::input || forced ? rows : 1, 1, features_);
  if (gate_ == AccessCheck::input) {
    own.gate_activations = gate_in_.forward(compute, own.x, {});
    activate<T>(compute.team, between_, own.gate_activations.flat(), own.gate_activations.flat());
    gate_out_.forward_into(compute, own.gate_activations, own.weights.as(rows, features_));
    masked_softmax<T>(compute.team, own.weights, {}, own.weights);
  } else {
    const Cube<T> first(own.weights.data(), 1, 1, features_);
    masked_softmax<T>(compute.team, Cube<const T>(logits_->value, 1, 1, features_), {}, first);
    for (Index b = 1; b < own.weights.size(0); ++b) std::copy_n(first.data(), features_, own.weights[b].data());
  }
  if (forced) {
    const auto held = compute.arena.template take_zeros<std::uint8_t>(static_cast<std::size_t>(rows));
    hold_marked<T>(batch.marked, own.weights, held);
    own.held = held;
  }
}

// items (B,1,D) -> attention (B,1,D), scores (B,classes), or (B,1) for two classes
template <class T>
Trace<T> FeatureAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  Own own;
  own.x = matrix_of<T>(compute, batch.items);
  const Index rows = own.x.size(0);
  weigh(compute, batch, pass, own);
  const Matrix<const T> w(own.weights.data(), own.weights.size(0), features_);
  own.first_activations = first_.forward(compute, own.x, w);
  activate<T>(compute.team, between_, own.first_activations.flat(), own.first_activations.flat());
  own.rest = rest_.forward(compute, own.first_activations);
  const Matrix<T> scores = own.rest.output();

  own.d_scores = compute.array<T>(rows, scores.size(1));
  trace.loss = classes_ == 2 ? logistic_loss<T>(compute, scores.flat(), batch.labels, own.d_scores.flat())
                             : cross_entropy<T>(compute, scores, batch.labels, own.d_scores);
  trace.scores = scores;
  trace.answers = batch.labels;
  if (own.weights.size(0) == rows) {
    trace.attention = own.weights;
  } else if (gate_ != AccessCheck::none && !pass.training) {
    trace.attention = compute.array<T>(rows, 1, features_);
    for (Index b = 0; b < rows; ++b) std::copy_n(own.weights.data(), features_, trace.attention[b].data());
  }
  trace.keep(compute, own);
  return trace;
}

template <class T>
void FeatureAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const Own& own = trace.template own<Own>();
  using Wants = typename Mlp<T>::Wants;
  const Matrix<T> d = rest_.backward(compute, own.rest, own.d_scores, Wants::input_gradient);
  activate_backward<T>(compute.team, between_, own.first_activations.flat(), d.flat(), d.flat());
  const Index rows = own.weights.size(0);
  const Matrix<const T> w(own.weights.data(), rows, features_);
  const Matrix<T> dw = own.learned ? compute.array<T>(rows, features_) : Matrix<T>();
  first_.backward(compute, own.x, w, d, dw);
  if (!own.learned) return;

  const Cube<T> dscores = dw.as(rows, 1, features_);
  masked_softmax_backward<T>(compute.team, own.weights, dscores, {}, own.held, dscores);
  if (gate_ == AccessCheck::free) {
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
