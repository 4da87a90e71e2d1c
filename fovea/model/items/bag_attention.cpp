// Models `bag-attention`, `word-attention` and `bag-flat` (room model/items): attention over the items of a bag, and
// a baseline. lab/spec makes them by name for a run. They write only traces, gradients and running statistics. B
// bags, S items, of which the first lengths[b] are present; F an MLP with leaky ReLU after every layer. In
// `word-attention` the items are the words of a text, each read by itself, with x_bs = E_w the embedding of the word
// w at s. The query q_b is then the mean of the text. Forward:
//
//   h_bs     = F(x_bs), with item_norm = true normed over the items present     x (B,S,I), h (B,S,H), nn/mlp.h
//   q_b      = 1/lengths[b] Σ_s h_bs       (B,1,H), for the scores that ask: dot, general, additive
//   score_bs = score(h_bs, q_b)            (B,1,S), nn/attention/score.h
//   α_b      = softmax(score_b), or held   (B,1,S), nn/attention/attention.h
//   c_b      = Σ_s α_bs h_bs               (B,H)
//   logit_b  = W1 norm1(leaky_relu(W0 norm0(c_b) + b0)) + b1     W0 (H,H), W1 (C,H), nn/batch_norm.h; with
//              head = "linear" W1 norm0(c_b) + b1: nothing after attention can undo a mixture
//   loss     = 1/B Σ_b cross-entropy(logit_b, label_b)
//
// Backward: dlogit through the layers of the head in reverse gives dc (B,H); then
//
//   dα_bs    = dc_b · h_bs                 dscore_bs = α_bs (dα_bs - Σ_u α_bu dα_bu), 0 where the weights are held
//   dq_b     = (what the score gives back to q of dscore_b)
//   dh_bs    = α_bs dc_b + dq_b / lengths[b] + (what the score gives back to h of dscore_bs)
//
// and dh goes back through F, to the embeddings where items are words: dE_w += Σ_{bs: w at bs} dx_bs. F runs on the
// items that are present, packed; h is (B,S,H) again for attention, 0 where there is no item. Without attention
// ("flat") the concatenated items go through an MLP of the same widths: the baseline.
#include <algorithm>
#include <optional>

#include "fovea/math/vector_math.h"
#include "fovea/model/items/items.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/score.h"
#include "fovea/nn/batch_norm.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/mlp.h"

namespace fovea {

namespace {

// Batch norm, linear, LeakyReLU, batch norm, linear; or the first and the last alone. Rows not present have no part in
// the norms.
template <class T>
struct Head {
  bool deep = true;
  BatchNorm<T> norm0, norm1;
  Linear<T> linear0, linear1;

  struct Trace {
    typename BatchNorm<T>::Trace norm0, norm1;
    Matrix<T> hidden, scores;
  };

  static Head declare(ParameterSet<T>& parameters, bool deep, Index width, Index classes) {
    Head head;
    head.deep = deep;
    head.norm0 = BatchNorm<T>::declare(parameters, "head.norm0", width);
    if (deep) {
      head.linear0 = Linear<T>::declare(parameters, "head.linear0", width, width);
      head.norm1 = BatchNorm<T>::declare(parameters, "head.norm1", width);
    }
    head.linear1 = Linear<T>::declare(parameters, "head.linear1", width, classes);
    return head;
  }

  // x (N,H) -> scores (N,C)
  Trace forward(Compute& compute, bool training, Matrix<const T> x, std::span<const std::uint8_t> present) const {
    Trace trace;
    trace.norm0 = norm0.forward(compute, training, x, present);
    if (!deep) {
      trace.scores = linear1.forward(compute, trace.norm0.output);
      return trace;
    }
    trace.hidden = linear0.forward(compute, trace.norm0.output);
    activate<T>(compute.team, Activation::leaky_relu(), trace.hidden.flat(), trace.hidden.flat());
    trace.norm1 = norm1.forward(compute, training, trace.hidden, present);
    trace.scores = linear1.forward(compute, trace.norm1.output);
    return trace;
  }

  // dscores (N,C) -> dx (N,H)
  Matrix<T> backward(Compute& compute, const Trace& trace, Matrix<const T> dscores) const {
    Matrix<T> d = linear1.backward(compute, deep ? trace.norm1.output : trace.norm0.output, dscores);
    if (deep) {
      norm1.backward(compute, trace.norm1, d, d);
      activate_backward<T>(compute.team, Activation::leaky_relu(), trace.hidden.flat(), d.flat(), d.flat());
      d = linear0.backward(compute, trace.norm0.output, d);
    }
    norm0.backward(compute, trace.norm0, d, d);
    return d;
  }
};

enum class BagScore { simple, dot, general, additive, flat };

ScoreKind kind_of(BagScore score) {
  switch (score) {
    case BagScore::dot:
      return ScoreKind::dot;
    case BagScore::general:
      return ScoreKind::general;
    case BagScore::additive:
      return ScoreKind::additive;
    default:
      return ScoreKind::mlp;
  }
}

template <class T>
class BagAttention : public Model<T> {
 public:
  BagAttention() = default;
  explicit BagAttention(BagScore fixed) : score_kind_(fixed), score_is_fixed_(true) {}
  explicit BagAttention(int embedding) : embedding_(embedding) {}

  void settings(Fields& fields) override {
    if (!score_is_fixed_) score_settings(fields);
    if (of_words()) fields.integer("embedding", embedding_, 1, 1 << 14, "width of the embeddings");
    fields.integers("hidden", hidden_, 1, 1 << 20, "widths of the item network's layers (at least one)");
    fields.flag("item_norm", item_norm_, "batch norm of the item network's outputs for the items present");
    fields.choice("head", head_kind_, {{"mlp", HeadKind::mlp}, {"linear", HeadKind::linear}},
                  "layer between the weighted sum and the classes: a hidden layer, or none");
  }

  Kind takes() const override { return of_words() ? Kind::labelled_tokens : Kind::labelled_bags; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return flat() ? Model<T>::Attends::no : Model<T>::Attends::by_score;
  }
  typename Model<T>::Heads heads() const override { return {.each = std::vector<int>(flat() ? 0u : 1u, 1)}; }
  int least_batch() const override { return 2; }  // of one bag alone, batch norm leaves nothing

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (hidden_.empty())
      throw wrong_input("model 'bag-attention' has no hidden layer", "set hidden to a list such as [256, 256, 256]");
    if (of_words() && flat())
      throw wrong_input("model 'word-attention' has no score \"flat\": texts differ in length", "choose another score");
    most_ = shape.most_items;
    classes_ = shape.classes;
    width_ = hidden_.back();
    std::vector<Index> sizes = {flat() ? Index{shape.width} * most_ : of_words() ? embedding_ : Index{shape.width}};
    if (of_words()) table_ = Embedding<T>::declare(parameters, "embedding", shape.vocab, embedding_);
    sizes.insert(sizes.end(), hidden_.begin(), hidden_.end());
    items_ = Mlp<T>::declare(parameters, "items", sizes, Activation::leaky_relu(), true);
    if (item_norm_) norm_ = BatchNorm<T>::declare(parameters, "items.norm", width_);
    if (!flat())
      score_ = Score<T>::declare(parameters, "attention", kind_of(score_kind_), width_, width_,
                                 score_hidden_ > 0 ? score_hidden_ : width_);
    head_ = Head<T>::declare(parameters, head_kind_ == HeadKind::mlp, width_, classes_);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;
  bool has_beta() const override { return !flat(); }
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override;

 private:
  void score_settings(Fields& fields) {
    fields.choice("score", score_kind_,
                  {{"simple", BagScore::simple},
                   {"dot", BagScore::dot},
                   {"general", BagScore::general},
                   {"additive", BagScore::additive},
                   {"flat", BagScore::flat}},
                  "how an item is scored; flat: no attention, the concatenated items (the baseline)");
    fields.integer("score_hidden", score_hidden_, 0, 1 << 20,
                   "scores simple and additive: width of their hidden layer; 0: as the last of hidden");
    fields.only_of("scores \"simple\" and \"additive\"",
                   [this] { return score_kind_ == BagScore::simple || score_kind_ == BagScore::additive; });
  }

  bool flat() const { return score_kind_ == BagScore::flat; }
  bool of_words() const { return embedding_ > 0; }

  // Of a forward.
  struct TraceArrays {
    std::span<const int> lengths;  // (B) items present
    Index columns = 0;             // S, of this batch
    Index present = 0;             // items in all bags
    std::span<const int> words;    // (present), where items are words
    typename Mlp<T>::Trace items;
    typename BatchNorm<T>::Trace norm;
    typename Head<T>::Trace head;
    Cube<const T> h;                 // (B,S,H); flat: empty
    Attention<T> shares;             // (B,1,S) uniform: h̄ = shares · h
    Cube<T> query;                   // (B,1,H) h̄
    typename Score<T>::Trace score;  // empty where the weights follow no scores
    Attention<T> attention;          // (B,1,S)
    Matrix<T> d_scores;              // (B,C)
  };
  template <class View>
  View pack(Compute& compute, const TraceArrays& own, View from) const;
  Cube<T> unpack(Compute& compute, const TraceArrays& own, Matrix<const T> packed) const;
  Matrix<const T> present_items(Compute& compute, const Batch& batch, TraceArrays& own) const;
  Matrix<const T> embed(Compute& compute, const Pass& pass, Matrix<const T> x, TraceArrays& own) const;
  Matrix<T> attend_items(Compute& compute, const Batch& batch, const Pass& pass, TraceArrays& own) const;
  Matrix<T> attend_items_backward(Compute& compute, const TraceArrays& own, Matrix<T> dcontext) const;

  BagScore score_kind_ = BagScore::simple;
  bool score_is_fixed_ = false;
  std::vector<int> hidden_ = {256, 256, 256};
  int score_hidden_ = 0;
  bool item_norm_ = false;
  int embedding_ = 0;  // 0: items are vectors
  enum class HeadKind { mlp, linear } head_kind_ = HeadKind::mlp;

  Index most_ = 0, classes_ = 0, width_ = 0;
  Embedding<T> table_;  // E, of words
  Mlp<T> items_;        // "F"; flat: of the whole bag
  std::optional<BatchNorm<T>> norm_;
  Score<T> score_;
  Head<T> head_;
};

// The rows of (B*S,·) that are there, one after another.
template <class T>
template <class View>
View BagAttention<T>::pack(Compute& compute, const TraceArrays& own, View from) const {
  const Index width = from.size(1);
  if (own.present == from.size(0)) return from;
  const Matrix<T> packed = compute.array<T>(own.present, width);
  T* to = packed.data();
  for (std::size_t b = 0; b < own.lengths.size(); ++b) {
    const Index count = own.lengths[b] * width;
    std::copy_n(from.data() + static_cast<Index>(b) * own.columns * width, count, to);
    to += count;
  }
  return packed;
}

// (present,H) -> (B,S,H), 0 where there is no item
template <class T>
Cube<T> BagAttention<T>::unpack(Compute& compute, const TraceArrays& own, Matrix<const T> packed) const {
  const Index bags = static_cast<Index>(own.lengths.size()), width = packed.size(1);
  const Cube<T> out = compute.zeros<T>(bags, own.columns, width);
  const T* from = packed.data();
  for (Index b = 0; b < bags; ++b) {
    const Index count = own.lengths[static_cast<std::size_t>(b)] * width;
    std::copy_n(from, count, out[b].data());
    from += count;
  }
  return out;
}

// The items that are there, one after another: x (present,I)
template <class T>
Matrix<const T> BagAttention<T>::present_items(Compute& compute, const Batch& batch, TraceArrays& own) const {
  if (!of_words()) return pack(compute, own, matrix_of<T>(compute, batch.items));
  const std::span<int> words = compute.arena.take<int>(static_cast<std::size_t>(own.present));
  std::copy_if(batch.source.ids.begin(), batch.source.ids.end(), words.begin(), [](int word) { return word >= 0; });
  own.words = words;
  return table_.forward(compute, own.words);
}

// The item network, and its norm: x (N,I) -> (N,H)
template <class T>
Matrix<const T> BagAttention<T>::embed(Compute& compute, const Pass& pass, Matrix<const T> x, TraceArrays& own) const {
  own.items = items_.forward(compute, x);
  if (!norm_) return own.items.output();
  own.norm = norm_->forward(compute, pass.training, own.items.output());
  return own.norm.output;
}

// -> contexts (B,H)
template <class T>
Matrix<T> BagAttention<T>::attend_items(Compute& compute, const Batch& batch, const Pass& pass,
                                        TraceArrays& own) const {
  const Index bags = own.h.size(0);
  const Sequences<const T> h = batch_major(own.h);
  own.shares = Attention<T>::make(compute, bags, 1, own.columns, own.lengths, {{AttentionRule::Pattern::uniform}});
  own.shares.weigh(compute.team);
  const AttentionRule rule = pass.rules.of(1, 1);
  const RightPositions right = right_positions(compute.arena, batch, rule);
  if (rule.by_score()) {
    Sequences<const T> q;
    if (asks(score_.kind)) {
      own.query = compute.array<T>(bags, 1, width_);
      own.shares.sum(compute.team, h, batch_major(own.query));
      q = batch_major(Cube<const T>(own.query));
    }
    own.score = score_.forward(compute, h, q);
    own.attention = Attention<T>::over(compute, own.score.scores, own.lengths, rule, right);
  } else {
    own.attention = Attention<T>::make(compute, bags, 1, own.columns, own.lengths, rule, right);
  }
  own.attention.weigh(compute.team);
  const Cube<T> contexts = compute.array<T>(bags, 1, width_);
  own.attention.sum(compute.team, h, batch_major(contexts));
  return contexts.as(bags, width_);
}

// dcontexts (B,H) -> dh, packed
template <class T>
Matrix<T> BagAttention<T>::attend_items_backward(Compute& compute, const TraceArrays& own, Matrix<T> dcontexts) const {
  const Index bags = own.h.size(0);
  const Sequences<const T> h = batch_major(own.h);
  const Cube<T> dh = compute.zeros<T>(bags, own.columns, width_);
  const Cube<const T> dcontext(dcontexts.data(), bags, 1, width_);
  const Cube<T> dscores = own.attention.backward(compute, h, batch_major(dcontext), batch_major(dh));
  if (own.attention.by_score() && asks(score_.kind)) {
    const Cube<T> dquery = compute.zeros<T>(bags, 1, width_);
    score_.backward(compute, own.score, dscores, batch_major(dh), batch_major(dquery));
    own.shares.backward(compute, h, batch_major(Cube<const T>(dquery)), batch_major(dh));
  } else if (own.attention.by_score()) {
    score_.backward(compute, own.score, dscores, batch_major(dh), {});
  }
  return pack(compute, own, dh.as(bags * own.columns, width_));
}

// items (B,S,I) -> attention (B,1,S), scores (B,C)
template <class T>
Trace<T> BagAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index bags = batch.size;
  own.columns = of_words() ? batch.source.columns : batch.items.columns;
  own.lengths = of_words() ? batch.source.lengths : batch.items.lengths;
  for (const int length : own.lengths) own.present += length;
  Matrix<const T> contexts;
  std::span<std::uint8_t> filled;  // (B): bags that hold anything; empty when all do
  if (flat()) {
    const Index wide = most_ * batch.items.width;
    Matrix<const T> x = matrix_of<T>(compute, batch.items);
    if (own.columns < most_) {
      const Matrix<T> padded = compute.zeros<T>(bags, wide);
      const Index given = own.columns * batch.items.width;
      for (Index b = 0; b < bags; ++b) std::copy_n(x.data() + b * given, given, padded[b].data());
      x = padded;
    }
    contexts = embed(compute, pass, x.as(bags, wide), own);
  } else {
    const Matrix<const T> h = embed(compute, pass, present_items(compute, batch, own), own);
    own.h = own.present < bags * own.columns ? unpack(compute, own, h) : h.as(bags, own.columns, width_);
    contexts = attend_items(compute, batch, pass, own);
    if (std::ranges::count(own.lengths, 0) > 0) {
      filled = compute.arena.take<std::uint8_t>(own.lengths.size());
      std::ranges::transform(own.lengths, filled.begin(), [](int length) { return length > 0; });
    }
  }
  own.head = head_.forward(compute, pass.training, contexts, filled);
  own.d_scores = compute.array<T>(bags, classes_);
  trace.scores = own.head.scores;
  trace.loss = cross_entropy<T>(compute, trace.scores, batch.labels, own.d_scores);
  trace.answers = batch.labels;
  if (!flat()) trace.attention = own.attention.weights;
  trace.keep(compute, own);
  return trace;
}

template <class T>
void BagAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  Matrix<T> d = head_.backward(compute, own.head, own.d_scores);
  if (!flat()) d = attend_items_backward(compute, own, d);
  if (norm_) norm_->backward(compute, own.norm, d, d);
  const auto wants = of_words() ? Mlp<T>::Wants::input_gradient : Mlp<T>::Wants::parameters_only;
  const Matrix<T> dx = items_.backward(compute, own.items, d, wants);
  if (of_words()) table_.backward(compute, own.words, dx);
}

// log-probability of the right class if all of the attention were on one item, by the head as evaluation has it.
template <class T>
Cube<T> BagAttention<T>::beta(Compute& compute, const Trace<T>& trace) const {
  if (flat()) return {};
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Index bags = own.h.size(0);
  const Matrix<T> scores = head_.forward(compute, false, own.h.as(bags * own.columns, width_), {}).scores;
  const Cube<T> beta = compute.zeros<T>(bags, 1, own.columns);
  for (Index b = 0; b < bags; ++b) {
    const int label = trace.batch->labels[static_cast<std::size_t>(b)];
    if (label < 0) continue;
    for (Index s = 0; s < own.lengths[static_cast<std::size_t>(b)]; ++s)
      beta(b, 0, s) = beta_of(std::span<const T>(scores[b * own.columns + s].flat()), label);
  }
  return beta;
}

// The baseline under its own name.
template <class T>
class BagFlat final : public BagAttention<T> {
 public:
  BagFlat() : BagAttention<T>(BagScore::flat) {}
};

template <class T>
class WordAttention final : public BagAttention<T> {
 public:
  WordAttention() : BagAttention<T>(256) {}
};

const RegisterModel<WordAttention> words("word-attention", "attention over the words of a text, each read by itself");
const RegisterModel<BagAttention> attention("bag-attention", "attention over the items of a bag");
const RegisterModel<BagFlat> baseline("bag-flat", "the items of a bag side by side through an MLP: the baseline");

}  // namespace

}  // namespace fovea
