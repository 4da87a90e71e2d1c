// Model `gated-classifier`: tokens are read by a recurrent net, a score says where to look, and what a
// position says for a class does not depend on where the model looks:
//
//   h = recurrent(embedding(x))   a_l = score(h_l)   p = softmax(a)   β_l = W h_l   logit = Σ_l p_l β_l
//
// With dropout, a training step sees the embeddings and the states h with some of their numbers missing; a word misses
// the same ones wherever it stands in the batch, so that each distinct word is still projected once.
//
// Two classes have one logit, that of class 1; more have one each. Arrays are time-major: (S,B,..) for S positions and
// B examples.
#pragma once

#include "fovea/model/optional_queries.h"
#include "fovea/nn/attention/score.h"
#include "fovea/nn/dropout.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/recurrent/recurrent.h"

namespace fovea {

template <class T>
class GatedClassifier final : public Model<T>, public HasInfluence<T> {
 public:
  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::labelled_tokens; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return attention_ == Attention::uniform ? Model<T>::Attends::evenly : Model<T>::Attends::by_score;
  }
  bool has_beta() const override { return true; }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Outcome<T> forward(Compute& compute, const Batch& batch, const Pass& pass) override;
  void backward(Compute& compute) override;

  // Two classes: W h_l, times -1 where the label is 0. More: the log-probability of the right class, were all of the
  // attention on l.
  Cube<T> beta(Compute& compute) override;
  HasInfluence<T>* as_influence() override { return this; }
  Cube<T> influence(Compute& compute) override;
  Cube<T> states(Compute& compute) override { return batch_first(compute, Cube<const T>(trace_.output())); }

 private:
  enum class Attention { learned, uniform };
  void weigh(Compute& compute, const Pass& pass);
  Outcome<T> read(Compute& compute, const SequenceInput<T>& input, const Pass& pass, bool with_gradients);
  void backward_into(Compute& compute, const SequenceGradient<T>& d_input);

  int embedding_width_ = 64;
  double embedding_spread_ = 1;
  int hidden_ = 64;
  Cell cell_ = Cell::lstm;
  bool bidirectional_ = true;  // one way, positions behind a keyword know of it too, and attention spreads over them
  ScoreKind score_kind_ = ScoreKind::linear;
  int score_hidden_ = 64;
  Attention attention_ = Attention::learned;
  double dropout_ = 0;

  Embedding<T> table_;
  Recurrent<T> encoder_;
  Score<T> score_;
  Linear<T> beta_;  // W (C,H), no bias: C = 1 for two classes
  Dropout<T> word_dropout_, state_dropout_;

  // Of the last forward, in the arena.
  const Batch* batch_ = nullptr;
  Pass pass_;
  DistinctTokens tokens_;
  Matrix<T> rows_;  // (D,E) their embeddings
  RecurrentStackTrace<T> trace_;
  Cube<const T> h_;               // (S,B,H) what of the states is read
  Cube<T> betas_;                 // (S,B,C)
  Cube<T> weights_;               // (B,1,S)
  bool uniform_ = false;          // whether the weights follow no scores
  std::span<std::uint8_t> held_;  // (B) 1 where an example's weights are held at its marks
  Matrix<T> d_logits_;            // (B,C)
};

}  // namespace fovea
