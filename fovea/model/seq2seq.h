// Model `seq2seq` (room model): copying and translating, by a recurrent encoder and decoder with attention between
// them. lab/spec makes it by name for a run. It writes only traces and gradients. seq2seq_generate.cpp and
// seq2seq_influence.cpp implement its optional queries. B examples, S source words x, T target words y (y_b0 the
// start token). Time-major. Forward:
//
//   e        = encoder(E[x])                          encoder "recurrent": e (S,B,He), nn/recurrent
//   e_sb     = E[x_bs]                                encoder "embedding": He is E's width; a state contains its word
//                                                     alone
//   d        = decoder(E'[y_b0 .. y_b(T-1)])          d (T,B,Hd), from the encoder's last states; from 0 with encoder
//                                                     "embedding"
//   score_bts = (A d_tb + a) · e_sb                   score "general": A (He,Hd), a (He), cross_attention.h
//   score_bts = v · tanh(W [e_sb; d_tb])              score "additive": W (hidden,He+Hd), v (hidden)
//   α_bt     = softmax_s(score_bt), or held           (B,T,S)
//   c_tb     = P Σ_s α_bts e_sb + b                   P (Hd,He), c (T,B,Hd)
//   o_tb     = f(U [d_tb; c_tb] + b_U)                U (Hd,2Hd), f tanh or ReLU, nn/attention/combiner.h
//   logit_bt = V o_tb + b_V                           V (words,Hd); b_U (Hd) and b_V (words) with `biases` alone
//   loss     = mean cross-entropy of logit_bt and y_b(t+1), over all target words
//
// Model `seq2seq-heads` has several heads: each has A, a, P and b of its own, and c is the mean of theirs.
//
// The decoder begins at 0 if no encoder has a last state. All its information on the source is then from attention.
// (A start that is learned would be the same for every source, as the start token already is.)
//
// Backward, from dlogit (B,T,words):
//
//   dV       = Σ_bt dlogit_bt o_tbᵀ                   do_tb = Vᵀ dlogit_bt       db_V = Σ_bt dlogit_bt
//   dd, dc, dU, db_U, dP, db as in combiner.h;              de, and more of dd, dA, da (dW, dv) as in
//                                                     nn/attention/cross_attention.h
//   dd goes back through the decoder to E' and to its first states, which are the encoder's last ones; with them, de
//   goes back through the encoder to E. With encoder "embedding", de_sb is added to dE of word x_bs itself.
#pragma once

#include <optional>
#include <vector>

#include "fovea/model/optional_queries.h"
#include "fovea/nn/attention/combiner.h"
#include "fovea/nn/attention/cross_attention.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/recurrent/recurrent.h"
#include "fovea/nn/stream_rows.h"

namespace fovea {

template <class T>
class Seq2Seq : public Model<T>, public HasInfluence<T>, public GeneratesText<T> {
 public:
  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::token_pairs; }
  typename Model<T>::Attends attends(const Batch&) const override;
  typename Model<T>::Heads heads() const override {
    if (attends_.empty()) return {};
    return {.each = {static_cast<int>(attends_.size())}};
  }
  bool has_beta() const override { return attention_ != Attending::none; }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

  // β_ts: the log-probability of the right word t if all of the attention were on s.
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override;
  const HasInfluence<T>* as_influence() const override { return this; }
  const GeneratesText<T>* as_generator() const override { return this; }
  Cube<T> influence(Compute& compute, const Trace<T>& trace) const override;
  std::vector<std::vector<int>> generate(Compute& compute, const Batch& batch, const Pass& pass,
                                         const Search& search) const override;
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;

 protected:
  enum class Attending { learned, uniform, none };
  enum class CombinerActivation { tanh, relu };
  enum class Encoding { recurrent, embedding };
  enum class Scoring { general, additive };

  int hidden_ = 256;
  int embedding_width_ = 256;
  int layers_ = 1;
  Cell cell_ = Cell::lstm;
  bool bidirectional_ = false;
  Attending attention_ = Attending::learned;
  // Left open they stand in no spec, so that what was trained before there were such settings keeps its hash.
  std::optional<Encoding> encoding_;
  std::optional<Scoring> scoring_;
  std::optional<Bias> biases_;  // b_U and b_V
  CombinerActivation combiner_activation_ = CombinerActivation::tanh;
  double dropout_ = 0;
  std::vector<std::string> heads_{"attention"};  // a name each: parameters start by their name

 private:
  // Tokens of one side, projected by their distinct rows, or an embedding for each position.
  struct Side {
    std::span<const int> ids;  // of the distinct tokens
    Matrix<T> rows;            // their embeddings (D,E)
    SequenceInput<T> input;
  };
  Side side(Compute& compute, std::span<const int> tokens, Index steps, const Batch& batch,
            std::span<const int> lengths, const Embedding<T>& table) const;

  // What is attended to, and of a recurrent encoder what its backward needs.
  struct Encoded {
    Cube<const T> output;              // e (S,B,He)
    RecurrentStackTrace<T> recurrent;  // of encoder "recurrent"
  };
  bool recurrent() const { return encoding_ != Encoding::embedding; }
  Index source_width() const { return recurrent() ? encoder_.out() : Index{embedding_width_}; }
  Encoded encode(Compute& compute, const SequenceInput<T>& input, const DropoutDraw& draw) const;

  // Of a forward.
  struct TraceArrays {
    Side source, target;
    Encoded encoded;
    RecurrentStackTrace<T> decoded;
    std::span<typename CrossAttention<T>::Trace> heads;
    typename Combiner<T>::Trace combined;
    Matrix<T> said;  // o, batch-major (B*T,Hd)
    DropoutMask said_kept;
    RowMap asked;          // its rows at which a word is asked for, where others are left out
    Matrix<const T> read;  // what the output reads: these rows, or all
    Matrix<T> d_logits;
  };
  // The pass from the source on: fills the rest of `own`, and gives the outcome to the trace. Of `answers`, -1 where
  // nothing is asked.
  void read(Compute& compute, const Side& source, std::span<const int> answers, bool with_gradients, TraceArrays& own,
            Trace<T>& trace) const;
  // Down to the source's input, whose gradient goes to d_source.
  void backward_into(Compute& compute, const Batch& batch, const TraceArrays& own,
                     const SequenceGradient<T>& d_source) const;
  void encode_backward(Compute& compute, const TraceArrays& own, Cube<T> d_sources,
                       std::span<const RecurrentState<T>> d_initial, const SequenceGradient<T>& d_source) const;
  SequenceGradient<T> rows_gradient(Compute& compute, const Side& side) const;
  std::span<const int> decoder_tokens(Arena& arena, const Tokens& target) const;
  std::span<const RecurrentState<T>> bridge(Compute& compute, const Encoded& encoded) const;
  std::span<const RecurrentState<T>> bridge_back(Compute& compute, std::span<const RecurrentState<T>> d_initial) const;
  AttentionRule rule_of(const AttentionRules& rules, std::size_t head) const {  // heads count from 0 here
    AttentionRule rule = rules.of(1, static_cast<int>(head) + 1);
    if (attention_ == Attending::uniform) rule.pattern = AttentionRule::Pattern::uniform;
    return rule;
  }
  Cube<T> mean_attention(Compute& compute, const TraceArrays& own) const;

  void influence_of(Compute& compute, const Batch& copies, int first, const Pass& pass, Matrix<T> influence) const;

  // Sources that are being translated: what the encoder made of them, the decoder's states, and what is said of each.
  struct Generation;
  struct Asked;
  struct BeamSearch;
  Matrix<T> next_scores(Compute& compute, Generation& generation, std::span<const Asked> asked) const;
  void extend(Compute& compute, Generation& generation, std::span<BeamSearch> searches, int beams) const;

  int start_token_ = 0, end_token_ = 0;
  Embedding<T> source_table_, target_table_;  // the same one where source and target share their vocabulary
  Recurrent<T> encoder_, decoder_;
  std::vector<CrossAttention<T>> attends_;  // one a head
  Combiner<T> combiner_;
  Linear<T> output_;
  Dropout<T> output_dropout_;
};

}  // namespace fovea
