// Attention of every target position over the source, time-major (room nn/attention). It writes only its outputs and
// gradients. The model `seq2seq` alone has it:
//
//   q_bt      = A d_bt + a                       A (He,Hd), a (He), d (T,B,Hd), q (T,B,He)
//   score_bts = q_bt · e_bs                      e (S,B,He)                            score "general"
//   score_bts = v · tanh(W [e_bs; d_bt])         W (M,He+Hd), v (M); no A and no a     score "additive" (score.h)
//   α         by its rule, context_bt = Σ_s α_bts e_bs     (attention.h); α (B,T,S), context (T,B,He)
//
// Backward, from d context: dscore, and the sum's part of d e, as in attention.h; then
//
//   d q_bt = Σ_s dscore_bts e_bs                 d e_bs += Σ_t dscore_bts q_bt
//   d d_bt += Aᵀ d q_bt                          d A += Σ_bt d q_bt d_btᵀ       d a += Σ_bt d q_bt
//
// or, of the additive score, as score.h has it, with h = e and q = d.
#pragma once

#include <optional>
#include <string>

#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/score.h"
#include "fovea/nn/linear.h"

namespace fovea {

template <class T>
struct CrossAttention {
  Linear<T> query;              // general: A (He,Hd), a (He)
  std::optional<Score<T>> own;  // additive: W and v

  // PREFIX.query, or PREFIX.score for an additive score of `hidden` numbers (0: the general one).
  static CrossAttention declare(ParameterSet<T>& parameters, const std::string& prefix, Index target_width,
                                Index source_width, Index hidden = 0);

  // What backward needs. Views of the arguments of forward, which must live until then.
  struct Trace {
    Cube<const T> targets, sources;  // d (T,B,Hd), e (S,B,He)
    Cube<T> queries;                 // A d + a (T,B,He); empty where no row follows its scores, or by another score
    typename Score<T>::Trace score;  // of the additive score
    Attention<T> attention;          // α (B,T,S)
  };

  // d (T,B,Hd), e (S,B,He), of which lengths (B) are present -> context (T,B,He)
  Cube<T> forward(Compute& compute, Cube<const T> targets, Cube<const T> sources, std::span<const int> lengths,
                  const AttentionRule& rule, const RightPositions& right, Trace& trace) const;

  // Adds into d_targets, d_sources and the gradients of A and a, or of W and v.
  void backward(Compute& compute, const Trace& trace, Cube<const T> d_context, Cube<T> d_targets,
                Cube<T> d_sources) const;
};

}  // namespace fovea
