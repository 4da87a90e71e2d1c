// The induction flow (theory/induction_flow.h) with a causal first layer (room theory). induction_flow.cpp alone
// calls it. Position t, from 0, reads the t + 1 positions up to it, of which t - 1 is the one before. T positions, V
// tokens. The earlier copy of the query is at j, evenly on 0 .. T-2, and the answer at j + 1. With e = e^a, the match
// b reaches position t through the first layer's weight on j:
//
//   t < j          c = 0                    the copy is not seen
//   t = j          c = 1 / (e + j)          its own position, at lag 0; 1 where j = 0
//   t = j + 1      c = e / (e + j + 1)      the answer's position, at lag 1
//   t > j + 1      c = 1 / (e + t)
//
//   alpha  = softmax_t(b c_t)
//   loss   = mean_j [ -w alpha_(j+1) + log(sum_t e^(w alpha_t) + V - T) ]
//
// With Z_j the sum inside the logarithm and g_t = w ([t = j+1] - e^(w alpha_t) / Z_j), per j:
//
//   w' = alpha_(j+1) - sum_t alpha_t e^(w alpha_t) / Z_j
//   d_t = alpha_t (g_t - sum_u alpha_u g_u)        b' = sum_t d_t c_t        a' = b sum_t d_t dc_t/da
//
// What else could grow stays 0 here: logits of other lags, and entries off the diagonal of match and output.
#pragma once

#include "fovea/theory/induction_flow.h"

namespace fovea {

double causal_induction_loss(const InductionContext& context, const InductionPoint& point,
                             const InductionClamps& clamps);

// d point / d time of a shared memory.
InductionPoint causal_induction_slope(const InductionContext& context, const InductionPoint& point,
                                      const InductionClamps& clamps);

}  // namespace fovea
