// How long sparse attention takes to emerge, by the gradient flow of two variables: the toy gate at length T (room
// theory). Pure functions. theory/exact/exact_prediction.cpp and the probe `sparse-flow` call it.
//
// A sequence has T vectors x_1 ... x_T of d independent components of mean 0 and variance 1, of which the last R are
// copies of one, and y = W* x_T with ||W*||^2 = d (Frobenius). The model answers yhat = W sum_t alpha_t x_t, alpha =
// softmax(a) over the positions. From W = 0 and a = 0 gradient descent keeps W = (w / sqrt d) W*, and gives one logit
// to the R copies and another, Delta below it, to the T - R other positions:
//
//   alpha = R / (R + (T - R) e^-Delta)              weight on the copies; (1 - alpha) / (T - R) on each other position
//   y - yhat = (W* / sqrt d) [(sqrt d - alpha w) x_T - w (1 - alpha) / (T - R) sum_{t<=T-R} x_t]
//   loss = E ||y - yhat||^2 / (2 d)
//        = [(sqrt d - alpha w)^2 + (1 - alpha)^2 w^2 / (T - R)] / (2 d)          1/2 at the start
//
// since E ||W* x||^2 = ||W*||^2 = d. The gradient with respect to W is along W*, a unit of w being a unit of length
// in the space of W; that of the logits moves those of the copies together by alpha (1 - alpha) (-d loss / d alpha),
// of which each has an Rth where it is its own and all where they share one, and each other logit the other way by a
// (T - R)th of it, hence the factor F:
//
//   w'     = [alpha (sqrt d - alpha w) - (1 - alpha)^2 w / (T - R)] / d
//   Delta' = alpha (1 - alpha) [w (sqrt d - alpha w) + (1 - alpha) w^2 / (T - R)] / d * F
//   F      = 1 / R + 1 / (T - R), or of a shared logit 1 + 1 / (T - R)
//
// Near the start, of R far below T, alpha is R (1 + Delta) / T, w' = R (1 + Delta) / (T sqrt d) and Delta' = R F w /
// (T sqrt d): the toy gate's hyperbola. For R = 1 it is 1 + Delta = cosh tau and w = sinh tau with tau = t / (T sqrt
// d); copies make it faster as the root of R with a logit each, and as R with a shared one.
#pragma once

#include <span>
#include <vector>

#include "fovea/theory/flow.h"

namespace fovea {

struct SparseSetting {
  int positions = 0;    // T, 2 or more
  int width = 0;        // d, 1 or more
  int copies = 1;       // R, 1 or more and less than T
  bool shared = false;  // whether the copies share a logit
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
// Of one copy.
SparsePoint sparse_linearised(const SparseSetting& setting, double time);

// The first time at which the loss is half of that at the start, 1/4; infinity if that is after `until`. Throws
// wrong_input of a setting that cannot be.
double sparse_time(const SparseSetting& setting, double until = 1e12, const FlowOptions& options = {});

}  // namespace fovea
