// Losses, each with its gradient in the same pass: mean over the rows that count, never overflowing.
//
// `gradient` is overwritten with d loss / d input and is 0 on rows that do not count; an empty one is not wanted. With
// no row that counts, the loss is 0. Partial sums are in double, in an order that does not depend on the team.
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
