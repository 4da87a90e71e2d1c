// Score: how well a position fits; the softmax of the scores is attention (room nn/attention). It writes only its
// outputs and gradients. cross_attention.h of this room, the classifier, `bag-attention` and `feature-attention` have
// it. h (B,S,H) are the positions, q (B,T,Q) the queries (absent for scores that need none: then T = 1), score
// (B,T,S). Forward, and backward from ds = dscore_bts:
//
//   free      score = l_s                        dl_s  = Σ_b ds
//   linear    score = w · h_bs                   dw = Σ_bs ds h_bs               dh_bs = ds w
//   mlp       score = w · r_bs                   dw = Σ_bs ds r_bs               dz_bs = ds w ⊙ [r_bs > 0]
//             r_bs = relu(W h_bs + b)            dW = Σ_bs dz_bs h_bsᵀ           db = Σ_bs dz_bs       dh_bs = Wᵀ dz_bs
//   dot       score = h_bs · q_bt / √H           dh_bs = Σ_t ds q_bt / √H        dq_bt = Σ_s ds h_bs / √H
//   general   score = h_bs · W q_bt              dh_bs = Σ_t ds W q_bt           dp_bt = Σ_s ds h_bs
//                                                dW = Σ_bt dp_bt q_btᵀ           dq_bt = Wᵀ dp_bt
//   additive  score = v · y_bts                  dv = Σ_bts ds y_bts             dz_bts = ds v ⊙ (1 - y_bts²)
//             y_bts = tanh(W_h h_bs + W_q q_bt)  dW_h = Σ_bts dz_bts h_bsᵀ       dW_q = Σ_bts dz_bts q_btᵀ
//                                                dh_bs = Σ_t W_hᵀ dz_bts         dq_bt = Σ_s W_qᵀ dz_bts
#pragma once

#include <string>
#include <string_view>

#include "fovea/nn/attention/sequences.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/parameters.h"

namespace fovea {

enum class ScoreKind {
  free,      // a logit per position, whatever stands there
  linear,    // αᵀh
  mlp,       // αᵀ relu(W h + b)
  dot,       // hᵀq / √H
  general,   // hᵀ W q
  additive,  // vᵀ tanh(W [h; q])
};

inline bool asks(ScoreKind kind) {
  return kind == ScoreKind::dot || kind == ScoreKind::general || kind == ScoreKind::additive;
}

// No score has a last bias: softmax would not see it.
template <class T>
struct Score {
  ScoreKind kind = ScoreKind::linear;
  Index width = 0;                   // H; dot: Q as well
  Index query = 0;                   // Q
  Index hidden = 0;                  // M: mlp, additive
  const Param<T>* logits = nullptr;  // free: (S), starting at 0
  const Param<T>* joint = nullptr;   // additive: PREFIX.hidden.weight (M,H+Q), the columns of h first
  Linear<T> inner;                   // mlp: PREFIX.hidden (M,H); general: PREFIX (H,Q), no bias
  Linear<T> out;                     // linear: PREFIX (1,H); mlp, additive: PREFIX.out (1,M); no bias

  // `positions` is S for free logits, else unused; `hidden` is M for mlp and additive.
  static Score declare(ParameterSet<T>& parameters, const std::string& prefix, ScoreKind kind, Index width, Index query,
                       Index hidden, Index positions = 0, Group group = Group::attention);

  // What backward needs of a forward, in the arena; h and q must still be there.
  struct Trace {
    Sequences<const T> h, q;
    Matrix<T>
        kept;  // mlp: relu(W h + b) (rows of h, M); general: W q (rows of q, H); additive: tanh(W [h; q]) (B*T*S, M)
    Cube<T> scores;  // (B,T,S)
  };

  // Rows of h on padding are read: they must be finite.
  Trace forward(Compute& compute, Sequences<const T> h, Sequences<const T> q = {}) const;

  // dscores (B,T,S) is 0 on padding. Adds into dh, dq (one without data is not wanted) and the gradients of the
  // parameters.
  void backward(Compute& compute, const Trace& trace, Cube<const T> dscores, Sequences<T> dh, Sequences<T> dq) const;

 private:
  // Scores (B,1,S) from a column in the order of h's rows, and back.
  Cube<T> from_column(Compute& compute, Sequences<const T> h, Matrix<const T> column) const;
  Matrix<T> to_column(Compute& compute, Sequences<const T> h, Cube<const T> scores) const;
};

}  // namespace fovea
