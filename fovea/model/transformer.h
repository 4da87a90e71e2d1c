// Model `transformer` (room model): causal self-attention in blocks. lab/spec makes it by name for a run. It writes
// only traces and gradients. B streams of T positions, N = B T rows of width d. LN is layer normalisation, or the
// identity without norms:
//
//   h        = E[x_bt] + P[t]            E (V,d); P (T,d) only with learned positions
//   h        = block(h)                  block after block: nn/attention/transformer_block.h
//   logit_bt = G LN(h_bt)                G (C,d), C tokens that may be answers; G = E where they are tied
//   loss     = mean cross-entropy over the positions with an answer
//
// A head of the last block that copies tokens with strength c adds the tokens that it attends to, by its weights A, to
// the logits (nn/attention/multi_head.h):
//
//   logit_bt(o) += c Σ_(j<=t) A_tj [x_bj = o]
//
// Backward goes through the same parts in reverse: with dh the gradient of a part's output,
//
//   dG += Σ dlogit_bt LN(h_bt)ᵀ          dh_bt = LN'(Gᵀ dlogit_bt), LN' the backward of LN
//   dh  = block'(dh)                     block after block, from the last; dc_i = c dlogit_i where tokens are copied
//   dE[v] += Σ_(x_bt = v) dh_bt          dP[t] += Σ_b dh_bt
//
// Parameters are named as a PyTorch module's would be: embedding, position, layer.L.norm1, layer.L.query, .key,
// .value, .output, .norm2, .mlp.0, .mlp.2, norm, unembedding; layers and heads count from 1. What is frozen keeps the
// values that it starts with.
//
// The rows that the first block reads and that the last block gives are those of nn/stream_rows.h: in training the
// outcome's scores and answers are those of asked rows alone, else those of all positions. Gradients that lead to
// nothing that learns are not made. Passes that are no training have no backward, so memory that only backward would
// read is used again block by block.
#pragma once

#include <string>
#include <vector>

#include "fovea/model/optional_queries.h"
#include "fovea/nn/attention/transformer_block.h"
#include "fovea/nn/embedding.h"

namespace fovea {

template <class T>
class Transformer final : public Model<T>, public HasHeadBetas<T> {
 public:
  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::token_streams; }
  typename Model<T>::Attends attends(const Batch& batch) const override;
  typename Model<T>::Heads heads() const override {
    return {std::vector<int>(static_cast<std::size_t>(layers_), heads_), true, true};
  }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;
  const HasHeadBetas<T>* as_head_betas() const override { return this; }
  std::span<const HeadBeta<T>> head_betas(Compute& compute, const Batch& batch, Pass pass) const override;

 private:
  enum class Norm { pre, none };
  enum class Position { learned, relative, rotary, none };
  enum class Distribution { normal, uniform };
  using Queries = MultiHeadSettings::Queries;

  // Of a forward.
  struct Activations {
    DistinctRows embedded;  // what the first block reads
    AskedRows asked;
    std::span<typename TransformerBlock<T>::Trace> blocks;
    typename LayerNorm<T>::Trace norm;
    Matrix<const T> states;       // LN(h) of the rows that the last block gave
    RowMap with_logits;           // the asked ones among them
    Matrix<const T> logit_input;  // these rows of the states
    Matrix<T> d_logits;
    bool copies = false;  // whether heads of the last block copied tokens
  };

  void check(const TaskShape& shape) const;
  Init init(const std::optional<double>& deviation, double otherwise) const;
  Group group(const std::string& circuit, Group otherwise = Group::body) const;
  BlockSettings block_settings(int layer, Index longest) const;

  std::span<const AttentionRule> rules(Compute& compute, const Pass& pass, int layer) const;
  Matrix<T> embed(Compute& compute, const DistinctRows& rows) const;
  StreamPass stream_pass(Compute& compute, const Trace<T>& trace, const Activations& own, std::size_t block) const;
  void logits_and_loss(Compute& compute, Activations& own, Trace<T>& trace) const;
  void copy_tokens(Compute& compute, const Batch& batch, Activations& own, Matrix<T> logits) const;
  void collect_maps(Compute& compute, const Activations& own, Trace<T>& trace) const;
  Matrix<T> copies_gradient(Compute& compute, const Activations& own) const;
  void backward_layers(Compute& compute, const Trace<T>& trace, std::span<const Cube<T>> d_weights) const;

  int layers_ = 2, heads_ = 1, width_ = 64, mlp_ = 0;
  MlpActivation activation_ = MlpActivation::gelu;
  Norm norm_ = Norm::pre;
  Position position_ = Position::learned;
  Weighting weighting_ = Weighting::softmax;
  std::optional<bool> gate_, tied_;  // left open (no) they stand in no spec
  Queries queries_ = Queries::separate;
  bool biases_ = true;
  Distribution start_distribution_ = Distribution::normal;
  double start_ = 0.02;
  std::optional<double> start_embedding_, start_position_, start_qk_, start_value_, start_output_, start_unembedding_;
  std::vector<std::string> frozen_;

  Embedding<T> embedding_;               // E
  const Param<T>* positions_ = nullptr;  // P; null without learned positions
  std::vector<TransformerBlock<T>> blocks_;
  LayerNorm<T> last_norm_;
  Linear<T> unembedding_;               // G
  std::vector<std::string> map_names_;  // of heads, block by block
};

}  // namespace fovea
