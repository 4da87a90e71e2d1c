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
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

  // Two classes: W h_l, times -1 where the label is 0. More: the log-probability of the right class, were all of the
  // attention on l.
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override;
  const HasInfluence<T>* as_influence() const override { return this; }
  Cube<T> influence(Compute& compute, const Trace<T>& trace) const override;
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class Attention { learned, uniform };

  // Of a forward.
  struct Own {
    DistinctTokens tokens;
    Matrix<T> rows;  // (D,E) their embeddings
    DropoutMask words_kept, states_kept;
    RecurrentStackTrace<T> encoded;
    Cube<const T> h;                     // (S,B,H) what of the states is read
    Cube<T> betas;                       // (S,B,C)
    typename Score<T>::Trace score;      // empty where the weights follow no scores
    Cube<T> weights;                     // (B,1,S)
    bool uniform = false;                // whether the weights follow no scores
    std::span<const std::uint8_t> held;  // (B) 1 where an example's weights are held at its marks
    Matrix<T> d_logits;                  // (B,C)
  };
  void weigh(Compute& compute, const Batch& batch, const Pass& pass, Own& own) const;
  // Fills `own` but for the words, and gives the outcome to the trace.
  void read(Compute& compute, const SequenceInput<T>& input, bool with_gradients, Own& own, Trace<T>& trace) const;
  void backward_into(Compute& compute, const Batch& batch, const Own& own, const SequenceGradient<T>& d_input) const;

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
};

}  // namespace fovea
