// Model `gated-classifier` (room model): a recurrent net reads tokens, and attention weighs the evidence of each
// position. lab/spec makes it by name for a run. It writes only traces and gradients. The evidence of a position for a
// class does not depend on attention. B examples, S positions, C logits (two classes have one logit, of class 1; more
// classes have one each). Arrays of the recurrent net are time-major. Forward:
//
//   e_sb     = E[x_bs]                     E (V,I), e (S,B,I)
//   h        = recurrent(e)                h (S,B,H), nn/recurrent
//   score_bs = score(h_sb)                 (B,1,S), nn/attention/score.h
//   p_b      = softmax(score_b), or held   (B,1,S), nn/attention/attention.h
//   β_sb     = W h_sb + b                  W (C,H), β (S,B,C); b (C) with `biases` alone
//   logit_b  = Σ_s p_bs β_sb               (B,C)
//   loss     = 1/B Σ_b cross-entropy(logit_b, label_b)
//
// Backward, from dlogit (B,C), which nn/loss.h gives:
//
//   dβ_sb   = p_bs dlogit_b                dW = Σ_sb dβ_sb h_sbᵀ       db = Σ_sb dβ_sb
//   dp_bs   = dlogit_b · β_sb              dscore_bs = p_bs (dp_bs - Σ_u p_bu dp_bu), 0 where the weights are held
//   dh_sb   = Wᵀ dβ_sb + (what the score gives back of dscore_bs)
//   de      = recurrent's backward of dh   dE[v] = Σ of de_sb over all (s,b) with x_bs = v
//
// With dropout, a training step sees e and h with some of their numbers missing; a word misses the same ones
// everywhere in the batch, so each distinct word is still projected once.
#pragma once

#include "fovea/model/optional_queries.h"
#include "fovea/nn/attention/attention.h"
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
    return attention_ == Attending::uniform ? Model<T>::Attends::evenly : Model<T>::Attends::by_score;
  }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }
  bool has_beta() const override { return true; }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

  // Two classes: W h_l + b, times -1 where the label is 0. More: the log-probability of the right class, were all of
  // the attention on l.
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override;
  const HasInfluence<T>* as_influence() const override { return this; }
  Cube<T> influence(Compute& compute, const Trace<T>& trace) const override;
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class Attending { learned, uniform };

  // Of a forward.
  struct TraceArrays {
    DistinctTokens tokens;
    Matrix<T> rows;  // (D,E) their embeddings
    DropoutMask words_kept, states_kept;
    RecurrentStackTrace<T> encoded;
    Cube<const T> h;                 // (S,B,H) what of the states is read
    Cube<T> betas;                   // (S,B,C)
    typename Score<T>::Trace score;  // empty where the weights follow no scores
    Attention<T> attention;          // (B,1,S)
    Matrix<T> d_logits;              // (B,C)
  };
  // Fills `own` but for the words, and gives the outcome to the trace.
  void read(Compute& compute, const SequenceInput<T>& input, bool with_gradients, TraceArrays& own,
            Trace<T>& trace) const;
  void backward_into(Compute& compute, const Batch& batch, const TraceArrays& own,
                     const SequenceGradient<T>& d_input) const;

  int embedding_width_ = 64;
  double embedding_spread_ = 1;
  int hidden_ = 64;
  Cell cell_ = Cell::lstm;
  bool bidirectional_ = true;  // one way, positions behind a keyword know of it too, and attention spreads over them
  ScoreKind score_kind_ = ScoreKind::linear;
  int score_hidden_ = 64;
  Attending attention_ = Attending::learned;
  std::optional<Bias> biases_;  // b; left open it stands in no spec, so that earlier ones keep their hashes
  double dropout_ = 0;

  Embedding<T> table_;
  Recurrent<T> encoder_;
  Score<T> score_;
  Linear<T> beta_;  // W (C,H), no bias: C = 1 for two classes
  Dropout<T> word_dropout_, state_dropout_;
};

}  // namespace fovea
