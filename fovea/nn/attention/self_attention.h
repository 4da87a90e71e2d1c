// Causal self-attention of token streams by several heads (room nn/attention). It writes only its outputs and
// gradients. multi_head.h of this room and the model `disentangled` call it. Each position attends to itself and
// those before it. B streams of T positions, H heads; the columns of heads are side by side: queries and keys (B T, H
// K), values and sums (B T, H U). For each stream, head and position i, counted from 0, over the positions j <= i:
//
//   s_ij    = f c (q_i · k_j + q_i · r_(i-j)) + shift(i, j)    c = 1/√K; r (T, H K) only with relative positions;
//                                                          f, shift: of the head's rule, without one 1 and 0
//   softmax   a_ij = exp(s_ij) / Σ_(m<=i) exp(s_im)
//   one       a_ij = exp(s_ij) / (1 + Σ_(m<=i) exp(s_im))              a softmax with a position more, of score 0
//   sink      a_ij = exp(s_ij) / (exp(z) + Σ_(m<=i) exp(s_im))         and of a score z (H) that each head learns
//   linear    a_ij = s_ij
//   relu      a_ij = max(s_ij, 0) / (i + 1)
//   held      a_ij as the pattern of the head's rule gives it, for rows that it holds (nn/attention/attention_rule.h)
//   A_ij    = a_ij times the rule's scale where j is one of the right positions of i, else a_ij
//   y_i     = Σ_(j<=i) A_ij v_j;                           0 of a head that is ablated
//
// q and y, and their gradients, have the G rows given (nn/stream_rows.h); k and v have rows of all positions.
//
// Backward, from dy, with z_ij the rule's scale or 1:
//
//   dv_j   += Σ_i A_ij dy_i                                da_ij = z_ij dy_i · v_j
//   softmax   ds_ij = a_ij (da_ij - Σ_m a_im da_im)            one and sink the same
//   sink      dz   -= Σ_i (1 - Σ_m a_im) Σ_m a_im da_im        over all streams
//   linear    ds_ij = da_ij
//   relu      ds_ij = da_ij / (i + 1) where a_ij > 0, else 0
//   held      ds_ij = 0
//   dq_i    = f c Σ_j ds_ij (k_j + r_(i-j))
//   dk_j    = f c Σ_i ds_ij q_i                            dr_δ = f c Σ_(i>=δ) ds_i(i-δ) q_i, over all streams
//
// Weights are made some rows at a time. Where there is room, forward keeps them for backward; else backward makes
// them again, so that memory grows as T and not as T². What a probe reads is written out by map().
#pragma once

#include <cstdint>
#include <span>

#include "fovea/math/matmul.h"
#include "fovea/nn/attention/attention_rule.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/simd/attention_rows.h"
#include "fovea/nn/stream_rows.h"

namespace fovea {

enum class Weighting { softmax, linear, relu, one, sink };

template <class T>
struct SelfAttention {
  Weighting weighting = Weighting::softmax;
  Index heads = 1, key_width = 0, value_width = 0;  // H, K, U

  // Of one forward. Views that must live until its backward.
  struct Inputs {
    StreamRows rows;                       // behind the length of a stream y is 0
    Matrix<const T> q, k, v, r;            // r empty: no relative positions
    std::span<const T> sinks;              // z (H); only of weighting sink
    std::span<const AttentionRule> rules;  // (H)
    RightPositions right;
    std::span<T> kept;  // kept_size() numbers; empty: weights are not kept
  };
  struct InputGradients {     // empty: not wanted
    Matrix<T> q, k, v;        // overwritten
    Matrix<T> r;              // (T, H K), added to
    std::span<T> sinks = {};  // (H), added to
  };

  // Numbers that the weights of so many streams of T positions take.
  Index kept_size(Index streams, Index positions) const;

  void forward(Compute& compute, const Inputs& inputs, Matrix<T> y) const;
  void backward(Compute& compute, const Inputs& inputs, Matrix<const T> dy, const InputGradients& gradients) const;

  // A of one head, (B,T,T): 0 above the diagonal and behind a stream's end.
  void map(Compute& compute, const Inputs& inputs, Index head, Cube<T> weights) const;

 private:
  struct Given;
  struct Head;
  struct Tile;
  struct Panels;
  Given given(Compute& compute, const Inputs& inputs) const;
  Head head(const Inputs& inputs, const Given& given, Index stream, Index head, Products products, T* memory) const;
  Tile tile(const Inputs& inputs, const Head& head, Index begin, Index end) const;
  void weigh(const Inputs& inputs, const Head& head, const Tile& tile) const;
  const T* weights(const Inputs& inputs, const Head& head, const Tile& tile) const;
  void leave_room(const Inputs& inputs, const Head& head, const attention_rows::Rows<T>& a, T scale,
                  const T* shifts) const;
  T sink_slope(const Inputs& inputs, const Head& head, const Tile& tile, const T* a) const;
  void slopes(const Inputs& inputs, const Head& head, const Tile& tile, const T* a) const;
  T tile_backward(const Inputs& inputs, const Head& head, const Tile& tile, Matrix<const T> dy,
                  const InputGradients& gradients, Matrix<T> dr) const;
  template <class Work>
  void each_head(Compute& compute, const Inputs& inputs, Index streams, Work work) const;
};

}  // namespace fovea
