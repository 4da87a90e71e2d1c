// Copying and translating with attention: a recurrent encoder and decoder, and attention of the decoder
// over the encoder's states.
//
//   score_ts = (A d_t + a)·e_s   α_t = softmax_s   c_t = P Σ_s α_ts e_s + b   o_t = f(U [d_t; c_t])   logits = V o_t
#pragma once

#include <vector>

#include "fovea/model/optional_queries.h"
#include "fovea/nn/attention/combiner.h"
#include "fovea/nn/attention/cross_attention.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/recurrent/recurrent.h"

namespace fovea {

template <class T>
class Seq2Seq : public Model<T>, public HasInfluence<T>, public GeneratesText<T> {
 public:
  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::token_pairs; }
  typename Model<T>::Attends attends(const Batch&) const override;
  bool has_beta() const override { return attention_ != Attention::none; }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Outcome<T> forward(Compute& compute, const Batch& batch, const Pass& pass) override;
  void backward(Compute& compute) override;

  // β_ts: the log-probability of the right word t if all of the attention were on s.
  Cube<T> beta(Compute& compute) override;
  HasInfluence<T>* as_influence() override { return this; }
  GeneratesText<T>* as_generator() override { return this; }
  Cube<T> influence(Compute& compute) override;
  std::vector<std::vector<int>> say(Compute& compute, const Batch& batch, const Pass& pass,
                                    const Search& search) override;
  Cube<T> states(Compute& compute) override { return batch_first(compute, Cube<const T>(encoder_trace_.output())); }

 protected:
  enum class Attention { learned, uniform, none };
  enum class Squash { tanh, relu };

  int hidden_ = 256;
  int embedding_width_ = 256;
  int layers_ = 1;
  Cell cell_ = Cell::lstm;
  bool bidirectional_ = false;
  Attention attention_ = Attention::learned;
  Squash squash_ = Squash::tanh;
  double dropout_ = 0;
  std::vector<std::string> heads_{"attention"};  // a name each: parameters start by their name

 private:
  // Tokens of one side, projected by their distinct rows.
  struct Side {
    std::span<const int> ids;  // of the distinct tokens
    Matrix<T> rows;            // their embeddings (D,E)
    SequenceInput<T> input;
    Cube<T> apart;  // in place of ids and rows: an embedding for each position (S,B,E)
  };
  Side side(Compute& compute, std::span<const int> tokens, Index steps, const Batch& batch,
            std::span<const int> lengths, const Embedding<T>& table) const;
  std::span<const int> decoder_tokens(Arena& arena, const Tokens& target) const;
  std::span<const RecurrentState<T>> bridge(Compute& compute, const RecurrentStackTrace<T>& encoder) const;
  std::span<const RecurrentState<T>> bridge_back(Compute& compute, std::span<const RecurrentState<T>> d_initial) const;
  typename CrossAttention<T>::Rule rule(const Batch& batch, const Pass& pass) const;
  Cube<T> mean_attention(Compute& compute) const;

  void influence_of(Compute& compute, const Batch& copies, int first, const Pass& pass, Matrix<T> influence);

  // Sources that are being translated: what the encoder made of them, the decoder's states, and what is said of each.
  struct Saying;
  struct Asked;
  struct Speech;
  Matrix<T> next_scores(Compute& compute, Saying& saying, std::span<const Asked> asked) const;
  void say_on(Compute& compute, Saying& saying, std::span<Speech> speeches, int beams) const;

  int start_token_ = 0, end_token_ = 0;
  Embedding<T> source_table_, target_table_;  // the same one where source and target share their vocabulary
  Recurrent<T> encoder_, decoder_;
  std::vector<CrossAttention<T>> attends_;  // one a head
  Combiner<T> combiner_;
  Linear<T> output_;
  Dropout<T> output_dropout_;

  // Of the last forward.
  const Batch* batch_ = nullptr;
  Pass pass_;
  bool apart_ = false;  // source positions have embeddings of their own, so that the gradient parts by position
  Side source_, target_;
  RecurrentStackTrace<T> encoder_trace_, decoder_trace_;
  std::vector<typename CrossAttention<T>::Trace> attention_traces_;
  typename Combiner<T>::Trace combiner_trace_;
  Matrix<T> said_;  // o, batch-major (B*T,Hd)
  Matrix<T> d_logits_;
  Cube<T> d_apart_;  // gradient of source_.apart, after backward
};

}  // namespace fovea
