// Reference equations of attention over a model's inputs (room nn/reference). Only tests call them, to check
// nn/attention/attention.h.
//
// Attention of T rows over S positions of one example, and the rules that set the weights.
//
//   s_ti = e q_t · k_i                      scores (T,S) of queries q (T,K) and keys k (S,K), e a constant
//   α_ti = exp(s_ti) / Σ_j exp(s_tj)        softmax: weights (T,S), i and j over the positions present
//   α_ti = 1 / n                            uniform: over the n positions present
//   α_ti = 1 / m                            truth: over the m true positions of row t; the softmax where m = 0
//   y_t  = Σ_i α_ti v_i                     context (T,H) of values v (S,H)
//
// A position that is not present is padding: its weight is 0 under every rule, and nothing of it is read. An example
// of no positions has weights 0 and contexts 0. An alignment is a truth of one position for each row; marked
// positions are a truth that all rows share.
//
// Backward, from dy (T,H):
//
//   dα_ti = dy_t · v_i                      dv_i += Σ_t α_ti dy_t
//   ds_ti = α_ti (dα_ti - Σ_j α_tj dα_tj)   on rows whose weights are their softmax; 0 on rows that a rule set
//   dq_t += e Σ_i ds_ti k_i                 dk_i += e Σ_t ds_ti q_t
#pragma once

#include "fovea/nn/reference/array.h"

namespace fovea::reference {

enum class Rule { softmax, uniform, truth };

// Which positions there are, and which are true: 1 or 0.
struct Positions {
  Array<1> present;  // (S)
  Array<2> truth;    // (T,S); true positions are present
};

Array<2> attention_scores(const Array<2>& queries, const Array<2>& keys, double scale);
void attention_scores_backward(const Array<2>& queries, const Array<2>& keys, double scale, const Array<2>& d_scores,
                               Array<2>& d_queries, Array<2>& d_keys);

Array<2> attention_weights(Rule rule, const Array<2>& scores, const Positions& positions);
Array<2> attention_weights_backward(Rule rule, const Array<2>& weights, const Positions& positions,
                                    const Array<2>& d_weights);  // -> d_scores (T,S)

Array<2> attention_context(const Array<2>& weights, const Array<2>& values, const Positions& positions);
Array<2> attention_context_backward(const Array<2>& weights, const Array<2>& values, const Positions& positions,
                                    const Array<2>& d_context, Array<2>& d_values);  // -> d_weights (T,S)

}  // namespace fovea::reference
