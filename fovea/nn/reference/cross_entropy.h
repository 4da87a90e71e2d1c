// Reference equations of the losses (room nn/reference). Only tests call them, to check nn/loss.h.
//
// Cross-entropy is the mean, over the n rows that count, of the negative log probability of the answer. A row whose
// answer is -1 does not count. If no row counts, the loss and its gradient are 0.
//
// Of C classes, from logits z (N,C), answers y (N) in 0 to C-1:
//
//   p_rc = exp(z_rc) / Σ_k exp(z_rk)        L = -1/n Σ_r log p_r,y_r        dz_rc = (p_rc - [c = y_r]) / n
//
// Of answers that are distributions y (N,C) (soft cross-entropy), with a row's answer still telling whether it counts:
//
//   L = -1/n Σ_rc y_rc log p_rc        dz_rc = (p_rc - y_rc) / n
//
// Of two classes, from the logit z (N) of class 1 (logistic loss), answers y (N) 0 or 1:
//
//   p_r = σ(z_r)     L = -1/n Σ_r (y_r log p_r + (1 - y_r) log(1 - p_r))    dz_r = (p_r - y_r) / n
#pragma once

#include <span>

#include "fovea/nn/reference/array.h"

namespace fovea::reference {

struct Loss {
  double value = 0;
  Array<2> d_logits;  // (N,C); logistic: (N,1)
};

Loss cross_entropy(const Array<2>& logits, std::span<const int> answers);
Loss soft_cross_entropy(const Array<2>& logits, std::span<const int> answers, const Array<2>& truth);
Loss logistic_loss(const Array<2>& logits, std::span<const int> answers);  // logits (N,1)

}  // namespace fovea::reference
