// The end of training of model `race-product`, from the task's vectors alone (room theory/exact; the model is
// model/exact/race_product.cpp). If d b c is d* b* c*, L_dbc is 0, and the cost alone moves a, by da/dt = - cost
// |d|^2 a / (n m). So a falls to 0, and L_abc rises from 0 to its value at a = 0. With b, c and d at their true
// values and a from a*,
//
//   L_abc(t) = L_0 (1 - exp(-t cost |d*|^2 / (n m)))^2,     L_0 = 1/2 mean (a* b* c*)^2
#pragma once

#include "fovea/data/batch.h"

namespace fovea {

// L_0.
double race_faded_error(const Batch& truths);

// The time until L_abc is this share of L_0.
double race_fade_time(const Batch& truths, double cost, double share);

}  // namespace fovea
