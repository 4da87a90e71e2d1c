// Reference equations of causal self-attention (room nn/reference). transformer_block.h of this room and tests call
// them, to check nn/attention/self_attention.h.
//
// Self-attention of one head over one stream of T positions: each position reads itself and the positions before it.
// Queries q and keys k (T,K), values v (T,U), relative positions r (T,K). i and j count from 0, and j <= i
// throughout:
//
//   s_ij      = f (q_i · k_j + q_i · r_(i-j)) / √K + shift_ij     scores; r = 0 without relative positions
//   softmax:  a_ij = exp(s_ij) / Σ_(m<=i) exp(s_im)
//   one:      a_ij = exp(s_ij) / (1 + Σ_(m<=i) exp(s_im))
//   sink:     a_ij = exp(s_ij) / (exp(z) + Σ_(m<=i) exp(s_im))         z: the head's own score, learned
//   linear:   a_ij = s_ij
//   relu:     a_ij = max(s_ij, 0) / (i + 1)
//
// A row may be held: a_ij is given, without scores.
//
// The weights multiply right positions by a scale z, and give the sums:
//
//   A_ij = z_ij a_ij       z_ij = z where j is right for i, else 1
//   y_i  = Σ_(j<=i) A_ij v_j                                      an ablated head: y_i = 0
//
// A head that copies tokens gives c Σ_(j<=i) A_ij onehot(x_j): the sums y of the values v_j = onehot(x_j), times c.
//
// Backward, from dy (T,U); an ablated head has no gradient:
//
//   dA_ij = dy_i · v_j     dv_j += Σ_(i>=j) A_ij dy_i             da_ij = z_ij dA_ij
//   softmax:  ds_ij = a_ij (da_ij - Σ_(m<=i) a_im da_im)
//   one, sink: as softmax         sink: dz -= Σ_i (1 - Σ_m a_im) Σ_m a_im da_im
//   linear:   ds_ij = da_ij
//   relu:     ds_ij = da_ij / (i + 1) where s_ij > 0, else 0
//   held rows: ds_ij = 0
//   dq_i += f Σ_(j<=i) ds_ij (k_j + r_(i-j)) / √K
//   dk_j += f Σ_(i>=j) ds_ij q_i / √K      dr_δ += f Σ_(i>=δ) ds_i(i-δ) q_i / √K
//
// Rotary positions turn each pair (x_m, x_(m+K/2)) of a query or key at position t by the angle φ = t 10000^(-2m/K):
//
//   y_m = x_m cos φ - x_(m+K/2) sin φ        y_(m+K/2) = x_m sin φ + x_(m+K/2) cos φ
#pragma once

#include <span>

#include "fovea/nn/reference/array.h"

namespace fovea::reference {

enum class Weighting { softmax, linear, relu, one, sink };

struct Head {
  Weighting weighting = Weighting::softmax;
  double scale = 1;  // z
  bool ablated = false;
  Array<2> right;       // (T,T): 1 where j is right for i; of size 0: no position is right
  double factor = 1;    // f
  Array<2> shift = {};  // (T,T); of size 0: none
  Array<2> held = {};   // (T,T): a of held rows, 0 in the others; of size 0: no row is held
};

struct HeadInput {  // or its gradients
  Array<2> q, k, v;
  Array<2> r;       // of size 0: no relative positions
  double sink = 0;  // z, of weighting sink
};

struct HeadOutput {
  Array<2> a, weights;  // a and A (T,T)
  Array<2> y;           // (T,U)
};

HeadOutput self_attention(const Head& head, const HeadInput& input);

// Adds into d.
void self_attention_backward(const Head& head, const HeadInput& input, const HeadOutput& output, const Array<2>& dy,
                             HeadInput& d);

// One head's rows x (T,K) turned by +φ, or by -φ: the way that gradients go back.
enum class Turn { forward, backward };
Array<2> rotary(const Array<2>& x, Turn turn);

// (T, tokens), 1 at each position's token; a token outside [0, tokens) has a row of 0.
Array<2> one_hot(std::span<const int> ids, Index tokens);

}  // namespace fovea::reference
