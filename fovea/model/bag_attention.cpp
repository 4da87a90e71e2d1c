// Attention over a bag: items x_1 … x_T -> h_t = F(x_t) -> scores -> softmax -> Σ α_t h_t -> head.
//
// F runs on the items that are present, packed; h stands in (B,T,H) again for attention, 0 where there is no item.
// Without attention ("flat") the concatenated items go through an MLP of the same widths: the baseline.
#include <algorithm>
#include <optional>

#include "fovea/math/vector_math.h"
#include "fovea/model/items.h"
#include "fovea/model/model.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/score.h"
#include "fovea/nn/batch_norm.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/mlp.h"

namespace fovea {

namespace {

// Batch norm, linear, LeakyReLU, batch norm, linear. Rows not present have no part in the norms.
template <class T>
struct Head {
  BatchNorm<T> norm0, norm1;
  Linear<T> linear0, linear1;
  Matrix<T> normed0, hidden, normed1;

  static Head declare(ParameterSet<T>& parameters, Index width, Index classes) {
    Head head;
    head.norm0 = BatchNorm<T>::declare(parameters, "head.norm0", width);
    head.linear0 = Linear<T>::declare(parameters, "head.linear0", width, width);
    head.norm1 = BatchNorm<T>::declare(parameters, "head.norm1", width);
    head.linear1 = Linear<T>::declare(parameters, "head.linear1", width, classes);
    return head;
  }

  // x (N,H) -> logits (N,C)
  Matrix<T> forward(Compute& compute, bool training, Matrix<const T> x, std::span<const std::uint8_t> present) {
    normed0 = norm0.forward(compute, training, x, present);
    hidden = linear0.forward(compute, normed0);
    activate<T>(compute.team, Activation::leaky_relu(), hidden.flat(), hidden.flat());
    normed1 = norm1.forward(compute, training, hidden, present);
    return linear1.forward(compute, normed1);
  }

  // dlogits (N,C) -> dx (N,H)
  Matrix<T> backward(Compute& compute, Matrix<const T> dlogits) const {
    Matrix<T> d = linear1.backward(compute, normed1, dlogits);
    norm1.backward(compute, d, d);
    activate_backward<T>(compute.team, Activation::leaky_relu(), hidden.flat(), d.flat(), d.flat());
    d = linear0.backward(compute, normed0, d);
    norm0.backward(compute, d, d);
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

  void settings(Fields& fields) override {
    if (!score_is_fixed_) score_settings(fields);
    fields.integers("hidden", hidden_, 1, 1 << 20, "widths of the item network's layers (at least one)");
    fields.flag("item_norm", item_norm_, "batch norm of what the item network gives, over the items present");
  }

  Kind takes() const override { return Kind::labelled_bags; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return flat() ? Model<T>::Attends::no : Model<T>::Attends::by_score;
  }
  int least_batch() const override { return 2; }  // of one bag alone, batch norm leaves nothing

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (hidden_.empty())
      throw wrong_input("model 'bag-attention' has no hidden layer", "set hidden to a list such as [256, 256, 256]");
    most_ = shape.most_items;
    classes_ = shape.classes;
    width_ = hidden_.back();
    std::vector<Index> sizes = {flat() ? Index{shape.width} * most_ : Index{shape.width}};
    sizes.insert(sizes.end(), hidden_.begin(), hidden_.end());
    items_ = Mlp<T>::declare(parameters, "items", sizes, Activation::leaky_relu(), true);
    if (item_norm_) norm_ = BatchNorm<T>::declare(parameters, "items.norm", width_);
    if (!flat())
      score_ = Score<T>::declare(parameters, "attention", kind_of(score_kind_), width_, width_,
                                 score_hidden_ > 0 ? score_hidden_ : width_);
    head_ = Head<T>::declare(parameters, width_, classes_);
  }

  Outcome<T> forward(Compute& compute, const Batch& batch, const Pass& pass) override;
  void backward(Compute& compute) override;
  bool has_beta() const override { return !flat(); }
  Cube<T> beta(Compute& compute) override;

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
  }

  bool flat() const { return score_kind_ == BagScore::flat; }
  Matrix<T> pack(Compute& compute, Matrix<const T> from) const;
  Cube<T> unpack(Compute& compute, Matrix<const T> packed) const;
  Matrix<T> attend_items(Compute& compute, const Batch& batch, const Pass& pass);
  Matrix<T> attend_items_backward(Compute& compute, Matrix<T> dcontext) const;

  BagScore score_kind_ = BagScore::simple;
  bool score_is_fixed_ = false;
  std::vector<int> hidden_ = {256, 256, 256};
  int score_hidden_ = 0;
  bool item_norm_ = false;

  Index most_ = 0, classes_ = 0, width_ = 0;
  Mlp<T> items_;  // "F"; flat: of the whole bag
  std::optional<BatchNorm<T>> norm_;
  Score<T> score_;
  Head<T> head_;

  // Of the last forward.
  const Batch* batch_ = nullptr;
  std::span<int> lengths_;        // (B) items present
  Index columns_ = 0;             // S, of this batch
  Index present_ = 0;             // items in all bags
  Cube<T> h_;                     // (B,S,H); flat: empty
  Cube<T> shares_;                // (B,1,S) the same weight on everything present: h̄ = shares · h
  Cube<T> query_;                 // (B,1,H) h̄
  Cube<T> weights_;               // (B,1,S)
  std::span<std::uint8_t> held_;  // (B) or empty
  bool learned_ = false;
  Matrix<T> score_gradients_;  // (B,C)
};

// The rows of (B*S,·) that are there, one after another.
template <class T>
Matrix<T> BagAttention<T>::pack(Compute& compute, Matrix<const T> from) const {
  const Index width = from.size(1);
  const Matrix<T> packed = compute.array<T>(present_, width);
  T* to = packed.data();
  for (std::size_t b = 0; b < lengths_.size(); ++b) {
    const Index count = lengths_[b] * width;
    std::copy_n(from.data() + static_cast<Index>(b) * columns_ * width, count, to);
    to += count;
  }
  return packed;
}

// (present,H) -> (B,S,H), 0 where there is no item
template <class T>
Cube<T> BagAttention<T>::unpack(Compute& compute, Matrix<const T> packed) const {
  const Index bags = static_cast<Index>(lengths_.size()), width = packed.size(1);
  const Cube<T> out = compute.zeros<T>(bags, columns_, width);
  const T* from = packed.data();
  for (Index b = 0; b < bags; ++b) {
    const Index count = lengths_[static_cast<std::size_t>(b)] * width;
    std::copy_n(from, count, out[b].data());
    from += count;
  }
  return out;
}

// -> contexts (B,H)
template <class T>
Matrix<T> BagAttention<T>::attend_items(Compute& compute, const Batch& batch, const Pass& pass) {
  const Index bags = h_.size(0);
  const Sequences<const T> h = batch_major(Cube<const T>(h_));
  shares_ = compute.array<T>(bags, 1, columns_);
  hold_uniform<T>(lengths_, shares_);
  held_ = {};
  learned_ = pass.attend != Attend::uniform;
  if (!learned_) {
    weights_ = shares_;
  } else {
    Sequences<const T> q;
    if (asks(score_.kind)) {
      query_ = compute.array<T>(bags, 1, width_);
      attend<T>(compute.team, shares_, h, lengths_, batch_major(query_));
      q = batch_major(Cube<const T>(query_));
    }
    weights_ = score_.forward(compute, h, q);
    masked_softmax<T>(compute.team, weights_, lengths_, weights_);
  }
  if (pass.attend == Attend::truth && !batch.marked.empty()) {
    held_ = compute.arena.take_zeros<std::uint8_t>(static_cast<std::size_t>(bags));
    hold_marked<T>(batch.marked, weights_, held_);
  }
  const Cube<T> contexts = compute.array<T>(bags, 1, width_);
  attend<T>(compute.team, weights_, h, lengths_, batch_major(contexts));
  return contexts.as(bags, width_);
}

// dcontexts (B,H) -> dh, packed
template <class T>
Matrix<T> BagAttention<T>::attend_items_backward(Compute& compute, Matrix<T> dcontexts) const {
  const Index bags = h_.size(0);
  const Sequences<const T> h = batch_major(Cube<const T>(h_));
  const Cube<T> dh = compute.zeros<T>(bags, columns_, width_);
  const Cube<T> dscores = learned_ ? compute.array<T>(bags, 1, columns_) : Cube<T>();
  const Cube<const T> dcontext(dcontexts.data(), bags, 1, width_);
  attend_backward<T>(compute.team, weights_, h, batch_major(dcontext), lengths_, dscores, batch_major(dh));
  if (learned_) {
    masked_softmax_backward<T>(compute.team, weights_, dscores, lengths_, held_, dscores);
    if (asks(score_.kind)) {
      const Cube<T> dquery = compute.zeros<T>(bags, 1, width_);
      const Sequences<const T> q = batch_major(Cube<const T>(query_));
      score_.backward(compute, h, q, dscores, batch_major(dh), batch_major(dquery));
      attend_backward<T>(compute.team, shares_, h, batch_major(Cube<const T>(dquery)), lengths_, {}, batch_major(dh));
    } else {
      score_.backward(compute, h, {}, dscores, batch_major(dh), {});
    }
  }
  const Matrix<T> rows = dh.as(bags * columns_, width_);
  return present_ == rows.size(0) ? rows : pack(compute, rows);
}

// items (B,S,I) -> attention (B,1,S), scores (B,C)
template <class T>
Outcome<T> BagAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) {
  batch_ = &batch;
  const Index bags = batch.items.rows;
  columns_ = batch.items.columns;
  lengths_ = compute.arena.take<int>(static_cast<std::size_t>(bags));
  std::copy_n(batch.items.lengths.begin(), bags, lengths_.begin());
  present_ = 0;
  for (const int length : lengths_) present_ += length;
  Matrix<const T> x = matrix_of<T>(compute, batch.items);
  Matrix<const T> contexts;
  std::span<std::uint8_t> filled;  // (B): bags that hold anything; empty when all do
  if (flat()) {
    const Index wide = most_ * batch.items.width;
    if (columns_ < most_) {
      const Matrix<T> padded = compute.zeros<T>(bags, wide);
      const Index given = columns_ * batch.items.width;
      for (Index b = 0; b < bags; ++b) std::copy_n(x.data() + b * given, given, padded[b].data());
      x = padded;
    }
    contexts = items_.forward(compute, x.as(bags, wide));
    if (norm_) contexts = norm_->forward(compute, pass.training, contexts);
    h_ = {};
  } else {
    if (present_ < bags * columns_) x = pack(compute, x);
    Matrix<T> h = items_.forward(compute, x);
    if (norm_) h = norm_->forward(compute, pass.training, h);
    h_ = present_ < bags * columns_ ? unpack(compute, h) : h.as(bags, columns_, width_);
    contexts = attend_items(compute, batch, pass);
    if (std::ranges::count(lengths_, 0) > 0) {
      filled = compute.arena.take<std::uint8_t>(lengths_.size());
      std::ranges::transform(lengths_, filled.begin(), [](int length) { return length > 0; });
    }
  }
  Outcome<T> outcome;
  outcome.scores = head_.forward(compute, pass.training, contexts, filled);
  score_gradients_ = compute.array<T>(bags, classes_);
  outcome.loss = cross_entropy<T>(compute, outcome.scores, batch.labels, score_gradients_);
  outcome.answers = batch.labels;
  if (!flat()) outcome.attention = weights_;
  return outcome;
}

template <class T>
void BagAttention<T>::backward(Compute& compute) {
  Matrix<T> d = head_.backward(compute, score_gradients_);
  if (!flat()) d = attend_items_backward(compute, d);
  if (norm_) norm_->backward(compute, d, d);
  items_.backward(compute, d, Mlp<T>::Wants::parameters_only);
}

// log-probability of the right class if all of the attention were on one item, by the head as evaluation has it.
template <class T>
Cube<T> BagAttention<T>::beta(Compute& compute) {
  if (flat()) return {};
  const Index bags = h_.size(0);
  Head<T> head = head_;  // what the last forward left in head_ is backward's
  const Matrix<T> logits = head.forward(compute, false, h_.as(bags * columns_, width_), {});
  const Cube<T> beta = compute.zeros<T>(bags, 1, columns_);
  for (Index b = 0; b < bags; ++b) {
    const int label = batch_->labels[static_cast<std::size_t>(b)];
    if (label < 0) continue;
    for (Index s = 0; s < lengths_[static_cast<std::size_t>(b)]; ++s)
      beta(b, 0, s) = beta_of(std::span<const T>(logits[b * columns_ + s].flat()), label);
  }
  return beta;
}

// The baseline under its own name.
template <class T>
class BagFlat final : public BagAttention<T> {
 public:
  BagFlat() : BagAttention<T>(BagScore::flat) {}
};

const RegisterModel<BagAttention> attention("bag-attention", "attention over the items of a bag");
const RegisterModel<BagFlat> baseline("bag-flat", "the items of a bag side by side through an MLP: the baseline");

}  // namespace

}  // namespace fovea
