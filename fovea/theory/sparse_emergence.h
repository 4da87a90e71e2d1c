// How long sparse attention takes to emerge, by the gradient flow of two variables: the toy gate at length T.
//
// A sequence holds T vectors x_1 ... x_T of d independent components of mean 0 and variance 1, and y = W* x_T with
// ||W*||^2 = d (Frobenius). The model answers yhat = W sum_t alpha_t x_t, alpha = softmax(a) over the places. From W =
// 0 and a = 0 gradient descent keeps W = (w / sqrt d) W* and gives all places but T one logit, Delta below a_T:
//
//   alpha = 1 / (1 + (T - 1) e^-Delta)              weight on place T; (1 - alpha) / (T - 1) on each other one
//   y - yhat = (W* / sqrt d) [(sqrt d - alpha w) x_T - w (1 - alpha) / (T - 1) sum_{t<T} x_t]
//   loss = E ||y - yhat||^2 / (2 d)
//        = [(sqrt d - alpha w)^2 + (1 - alpha)^2 w^2 / (T - 1)] / (2 d)          1/2 at the start
//
// since E ||W* x||^2 = ||W*||^2 = d. The gradient with respect to W is along W*, a unit of w being a unit of length in
// the space of W; that of the logits moves a_T by alpha (1 - alpha) (-d loss / d alpha) and each other logit the other
// way by a (T - 1)th of it, hence the factor T / (T - 1):
//
//   w'     = [alpha (sqrt d - alpha w) - (1 - alpha)^2 w / (T - 1)] / d
//   Delta' = alpha (1 - alpha) [w (sqrt d - alpha w) + (1 - alpha) w^2 / (T - 1)] / d * T / (T - 1)
//
// Near the start alpha is (1 + Delta) / T, w' = (1 + Delta) / (T sqrt d) and Delta' = w / (T sqrt d): the toy gate's
// hyperbola, 1 + Delta = cosh tau and w = sinh tau with tau = t / (T sqrt d).
#pragma once

#include <span>
#include <vector>

#include "fovea/theory/flow.h"

namespace fovea {

struct SparseSetting {
  int places = 0;  // T, 2 or more
  int width = 0;   // d, 1 or more
};

struct SparsePoint {
  double weight = 0;  // w
  double logit = 0;   // Delta
};

double sparse_attention(const SparseSetting& setting, const SparsePoint& point);  // alpha
double sparse_loss(const SparseSetting& setting, const SparsePoint& point);
SparsePoint sparse_slope(const SparseSetting& setting, const SparsePoint& point);  // d point / d time

std::vector<SparsePoint> sparse_flow(const SparseSetting& setting, std::span<const double> times,
                                     const FlowOptions& options = {});
SparsePoint sparse_linearised(const SparseSetting& setting, double time);

// The first time at which the loss is half of that at the start, 1/4; infinity if that is after `until`. Throws
// wrong_input of a setting that cannot be.
double sparse_time(const SparseSetting& setting, double until = 1e12, const FlowOptions& options = {});

}  // namespace fovea
