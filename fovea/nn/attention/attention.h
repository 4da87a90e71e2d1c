// Attention over a model's inputs: from scores to weights, and from weights to sums (room nn/attention). It writes
// only its outputs and gradients. Every model that attends once, over its inputs, has this layer. Heads in layers
// have nn/attention/self_attention.h. The models `pooling` and `glimpse` have their own attention.
//
// B examples, T rows of weights for each (one for a classifier, one per target word for a decoder), S positions. Of
// example b the first lengths[b] positions are present (empty lengths: all S). Forward, for each row (b,t), by its
// rule:
//
//   softmax   α_bts = exp(s_bts - m_bt) / Σ_u exp(s_btu - m_bt),  m_bt = max_u s_btu,  s and u present
//             s_bts = f score_bts + shift(t, s), by the rule; without one s = score
//   held      α_bts as the rule's pattern gives it                        nn/attention/attention_rule.h
//
//   α_bts = 0 where s is not present (an example of no positions has weights of 0 alone)
//   A_bts = z_bts α_bts           z: the rule's scale if s is a right position of the row, else 1; if ablated, A = 0
//   context_bt = Σ_s A_bts v_bs                                           v (B,S,H), context (B,T,H)
//
// Backward, from d context (B,T,H):
//
//   dv_bs    += Σ_t A_bts d context_bt
//   dA_bts    = d context_bt · v_bs                   dα_bts = z_bts dA_bts
//   dscore_bts = f α_bts (dα_bts - Σ_u α_btu dα_btu)  where the row follows its scores (softmax), else 0: a row that is
//                                                     held or ablated passes nothing on to its scores
//
// Examples do not meet, so each pass is there for one of them, too.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/nn/attention/attention_rule.h"
#include "fovea/nn/attention/sequences.h"
#include "fovea/nn/compute.h"

namespace fovea {

template <class T>
struct Attention {
  Cube<T> weights;               // A (B,T,S); the scores until they are weighed
  std::span<const int> lengths;  // (B)
  AttentionRule rule;
  RightPositions right;          // (B T) rows; only for a rule that reads them
  Cube<T> unscaled;              // α (B,T,S); empty where it is A
  std::span<std::uint8_t> held;  // (B,T) 1 where a row does not follow its scores; empty where no row does
  bool by_products = false;      // whether sums are products of matrices, not sums of rows: so where T > 1, and where T
                                 // is a length of sequences
  Products products = Products::full;

  // Room for B x T rows, in the arena, whose scores the caller writes into `weights` before they are weighed.
  static Attention make(const Compute& compute, Index batch, Index rows, Index positions, std::span<const int> lengths,
                        const AttentionRule& rule, const RightPositions& right = {});
  // The same over scores that are there; they become the weights.
  static Attention over(const Compute& compute, Cube<T> scores, std::span<const int> lengths, const AttentionRule& rule,
                        const RightPositions& right = {});

  bool by_score() const { return rule.by_score(); }
  // Whether a row follows its scores: those that are held pass nothing on to them. Known once it is weighed or held.
  bool follows(Index b, Index t) const {
    return rule.by_score() && held[static_cast<std::size_t>(b * weights.size(1) + t)] == 0;
  }
  Index length(Index b) const { return lengths.empty() ? weights.size(2) : lengths[static_cast<std::size_t>(b)]; }

  // Scores to weights; scores that are not present are not read.
  void weigh(Team& team) const;
  void weigh(Index b) const;
  // The rule alone, over weights that the model made by itself: rows that follow their scores are only scaled.
  void apply_rule(Team& team) const;
  void apply_rule(Index b) const;
  // dA (B,T,S) becomes dα.
  void change_backward(Index b, Cube<T> d_weights) const;
  // dA (B,T,S) becomes dscore, 0 where not present.
  void weigh_backward(Team& team, Cube<T> d_weights) const;
  void weigh_backward(Index b, Cube<T> d_weights) const;

  void sum(Team& team, Sequences<const T> values, Sequences<T> contexts) const;
  void sum(Index b, Sequences<const T> values, Sequences<T> contexts) const;
  // Adds into d_values; d_weights is overwritten, 0 where not present. One that has no data is not wanted.
  void sum_backward(Team& team, Sequences<const T> values, Sequences<const T> d_contexts, Cube<T> d_weights,
                    Sequences<T> d_values) const;
  void sum_backward(Index b, Sequences<const T> values, Sequences<const T> d_contexts, Cube<T> d_weights,
                    Sequences<T> d_values) const;

  // Both ways back: d context to dscore (B,T,S), or to nothing where no row follows its scores.
  Cube<T> backward(const Compute& compute, Sequences<const T> values, Sequences<const T> d_contexts,
                   Sequences<T> d_values) const;

 private:
  template <class Work>
  void each(Team& team, Index elements, Work work) const;
};

}  // namespace fovea
