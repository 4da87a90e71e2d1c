// Model `transformer`: causal self-attention in layers. B streams of T places, N = B T rows of width d, heads h. Of
// each layer, with LN the layer normalisation or, without norms, nothing:
//
//   h        = E[x_bt] + P[t]                         E (V,d); P (T,d) only with learned positions
//   u        = LN(h)
//   q, k, v  = Q u + b_q, K u + b_k, W u + b_v         by heads; turned by rotary positions (nn/attention/rotary.h)
//   y        = self-attention(q, k, v)                 nn/attention/self_attention.h
//   h        = h + O y + b_o
//   h        = h + D gelu(U LN(h) + b_u) + b_d         U (m d, d), D (d, m d), only with an mlp; or relu for gelu
//
// and after the last, with C the tokens that may be said:
//
//   logit_bt = G LN(h_bt)                              G (C,d)
//   loss     = mean cross-entropy over the places at which something is asked
//
// Where a head of the last layer is made to copy with strength c, by its weights A it says what it attends to as well:
//
//   logit_bt(o) += c Σ_(j<=t) A_tj [x_bj = o]          dA_tj += c dlogit_bt(x_bj), and so on to q and k
//
// Backward goes the same way back: with dh of what a layer gives,
//
//   dO += dhᵀ y, dy = dh O;  dq, dk, dv of dy;  dQ += dqᵀ u and so on;  dh += LN's backward of dq Q + dk K + dv W
//
// and the like for the mlp. Keys and queries may be merged (k = u: one matrix, for each head of width d) or queries be
// the places themselves (q = u). What is frozen stays as it was drawn.
//
// Parameters are named as a PyTorch module's would be: embedding, position, layer.L.norm1, layer.L.query, .key, .value,
// .output, .norm2, .mlp.0, .mlp.2, norm, unembedding; layers and heads count from 1. In training passes the outcome's
// scores and answers are of the asked places alone, and the last layer makes nothing else of what its heads gave; else
// of all. Gradients that lead to nothing that learns are not made. Other passes have no backward, so memory that only
// it would read is used again layer by layer. Of places that are alike (stream_places.h) the first layer makes u, q, k
// and v once, and sums their gradients first.
#pragma once

#include <string>
#include <vector>

#include "fovea/model/optional_queries.h"
#include "fovea/model/stream_places.h"
#include "fovea/nn/attention/rotary.h"
#include "fovea/nn/attention/self_attention.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/layer_norm.h"
#include "fovea/nn/linear.h"

namespace fovea {

template <class T>
class Transformer final : public Model<T>, public HasHeadBetas<T> {
 public:
  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::token_streams; }
  typename Model<T>::Attends attends(const Batch& batch) const override;
  typename Model<T>::Heads heads() const override { return {layers_, heads_, true, true}; }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;
  const HasHeadBetas<T>* as_head_betas() const override { return this; }
  std::span<const HeadBeta<T>> head_betas(Compute& compute, const Batch& batch, Pass pass) const override;

 private:
  enum class Norm { pre, none };
  enum class Position { learned, relative, rotary, none };
  enum class Queries { separate, merged, identity };
  enum class Squash { gelu, relu };
  enum class Law { normal, uniform };

  struct Layer {
    LayerNorm<T> norm1, norm2;
    Linear<T> query, key, value, output, up, down;  // query or key without a weight: the place itself
    const Param<T>* relative = nullptr;             // (T, H K)
  };
  struct LayerTrace {
    typename LayerNorm<T>::Trace norm1, norm2;
    Matrix<const T> read, read_by_queries, read_by_mlp;  // u; those rows of it that ask; and what the mlp reads
    std::span<const int> row_of, row_of_asking;          // where places share rows of u: of each place, and that asks
    typename SelfAttention<T>::Pass attention;           // gives the rows that ask, as the layer does
    bool mapped = true;                                  // whether its maps are wanted after the pass
    Matrix<const T> mixed;                               // y of these rows (N, H U)
    Matrix<T> before, inner, after;                      // of the mlp: U u, what gelu's backward needs, what it gave
  };
  struct Own {
    StreamPlaces places;
    std::span<LayerTrace> layers;
    typename LayerNorm<T>::Trace norm;
    std::span<const int> asked, wanted;  // the rows at which something is asked, and the answers
    Matrix<const T> last;                // what the last layer gave and the norm made of it
    Matrix<const T> gathered;            // the asked rows of it, which the unembedding reads
    Matrix<T> d_logits;
    typename SelfAttention<T>::Pass
        copied;  // the last layer's heads over tokens instead of values; v empty: none copies
  };

  void check(const TaskShape& shape) const;
  Group group(const std::string& circuit, Group otherwise) const;
  Init start(const std::optional<double>& own, double otherwise) const;
  Linear<T> declare(ParameterSet<T>& parameters, const std::string& name, Index in, Index out, const Init& init,
                    Group group) const;
  Layer declare_layer(ParameterSet<T>& parameters, int number, const TaskShape& shape) const;

  Index query_width() const { return queries_ == Queries::separate ? width_ / heads_ : width_; }  // K
  std::span<const AttentionRule> rules(Compute& compute, const Pass& pass, int layer) const;
  Matrix<T> embed(Compute& compute, const StreamPlaces& places) const;
  enum class Of { all, asking };
  Matrix<const T> side(Compute& compute, const Linear<T>& map, Of which, const LayerTrace& trace) const;
  Matrix<T> attend(Compute& compute, const Layer& layer, const Trace<T>& pass, Matrix<const T> h,
                   LayerTrace& trace) const;
  Matrix<T> think(Compute& compute, const Layer& layer, Matrix<const T> h, bool training, LayerTrace& trace) const;
  void say(Compute& compute, Own& own, Trace<T>& trace) const;
  void show(Compute& compute, const Own& own, Trace<T>& trace) const;
  void side_backward(Compute& compute, const Linear<T>& map, Of which, const LayerTrace& trace,
                     const PackedMatrix<T>& read, Matrix<T> d, Matrix<T> d_read) const;
  Matrix<T> attend_backward(Compute& compute, const Layer& layer, const LayerTrace& trace, Matrix<T> dh, bool deeper,
                            const Own* copying, Index asked, std::span<HeadBeta<T>> looks) const;
  void descend(Compute& compute, const Trace<T>& trace, std::span<HeadBeta<T>> looks) const;
  void look(const LayerTrace& trace, Matrix<const T> dy, Index asked, std::span<HeadBeta<T>> looks) const;
  SelfAttention<T> copier() const;
  void copy(Compute& compute, const Batch& batch, Own& own, Matrix<T> logits) const;
  void copy_backward(Compute& compute, const Own& own, const typename SelfAttention<T>::Gradients& d) const;
  void think_backward(Compute& compute, const Layer& layer, const LayerTrace& trace, Matrix<T> dh) const;

  int layers_ = 2, heads_ = 1, width_ = 64, mlp_ = 0;
  Squash squash_ = Squash::gelu;
  Norm norm_ = Norm::pre;
  Position position_ = Position::learned;
  Weighting weighting_ = Weighting::softmax;
  Queries queries_ = Queries::separate;
  bool biases_ = true;
  Law law_ = Law::normal;
  double start_ = 0.02;
  std::optional<double> start_embedding_, start_position_, start_qk_, start_value_, start_output_, start_unembedding_;
  std::vector<std::string> frozen_;

  SelfAttention<T> attention_;
  Rotary<T> rotary_;
  Embedding<T> table_;
  const Param<T>* positions_ = nullptr;  // P
  std::vector<Layer> stack_;
  LayerNorm<T> last_norm_;
  Linear<T> unembedding_;
  std::vector<std::string> names_;  // of the heads' maps, layer by layer
};

}  // namespace fovea
