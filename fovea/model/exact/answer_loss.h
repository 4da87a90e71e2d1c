// The loss of models of streams whose task may give the distribution of each answer (room model/exact).
#pragma once

#include "fovea/data/batch.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/soft_cross_entropy.h"

namespace fovea {

// Cross-entropy of scores (B n,C), against the distributions of the answers if the batch has them.
template <class T>
double answer_loss(const Compute& compute, const Batch& batch, Matrix<const T> scores, Matrix<T> d_scores) {
  if (batch.truth.empty()) return cross_entropy(compute, scores, batch.target.ids, d_scores);
  const Matrix<const float> truth(batch.truth.data(), scores.size(0), scores.size(1));
  return soft_cross_entropy(compute, scores, batch.target.ids, truth, d_scores);
}

}  // namespace fovea
