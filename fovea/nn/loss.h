// Losses, each with its gradient in the same pass (room nn). They write only their outputs and gradients. Models call
// them at the end of their forward pass. Each is the mean over the n rows r that count, with answers y, and never
// overflows:
//
//   logistic          p_r = σ(z_r)                              z (N) logits of class 1
//                     L = -1/n Σ_r log p_r where y_r = 1, log(1 - p_r) where y_r = 0
//                     dz_r = (p_r - y_r) / n
//   cross-entropy     p_rc = exp(z_rc) / Σ_k exp(z_rk)          z (N,C) logits
//                     L = -1/n Σ_r log p_r,y_r
//                     dz_rc = (p_rc - [c = y_r]) / n
//   squared error     L = 1/n Σ_i (x_i - y_i)²                  x, y (n): prediction and truth
//                     dx_i = 2 (x_i - y_i) / n
//
//   β of a label y    log p_y of scores z (C); of a single score z: z for y = 1, -z for y = 0
//
// `gradient` is overwritten with d loss / d input and is 0 on rows that do not count; an empty one is not wanted.
// With no row that counts, the loss is 0. Partial sums are in double, in an order that does not depend on the team.
#pragma once

#include <span>

#include "fovea/nn/compute.h"

namespace fovea {

// Binary cross-entropy from the logit of class 1. Answers are 1, 0, or -1 for a row that does not count.
template <class T>
double logistic_loss(const Compute& compute, std::span<const T> logits, std::span<const int> answers,
                     std::span<T> gradient);

// Softmax cross-entropy: logits (N,C), answers (N) in 0 .. C-1, or -1 for a row that does not count.
template <class T>
double cross_entropy(const Compute& compute, Matrix<const T> logits, std::span<const int> answers, Matrix<T> gradient);

// Mean of (prediction - truth)^2 over all elements.
template <class T>
double squared_error(const Compute& compute, std::span<const T> predictions, std::span<const T> truth,
                     std::span<T> gradient);

// β: how much scores speak for a class or a word. One score is the logit of class 1, and speaks for class 0 as much as
// it is below 0; of several, the log-probability. `all` is their log_sum_exp, where it is known already.
template <class T>
T beta_of(std::span<const T> scores, int label);
template <class T>
T beta_of(std::span<const T> scores, int label, T all);

}  // namespace fovea
