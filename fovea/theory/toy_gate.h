// The toy gate without training (docs/reference/toy-gate.md): closed form, gradient flow, gradient descent (room
// theory). Pure functions. The probes `toy-flow` and `unigram-flow` and the page (apps/wasm/toy.cpp) compare with it.
//
// With D = beta1 - beta0 the linear gate's flow is D' = 2p, p' = D: a saddle. Starts with D0 > -sqrt(2) p0 run to p =
// +infinity (the key wins), those below to -infinity.
#pragma once

#include <span>
#include <vector>

#include "fovea/model/toy_gate.h"
#include "fovea/theory/flow.h"

namespace fovea {

struct ToyPoint {
  double beta0 = 0, beta1 = 0;
  double gate = 0.5;  // p; for the bounded gate the logit a of p

  double difference() const { return beta1 - beta0; }  // D
};

double toy_attention(ToyVariant variant, const ToyPoint& point);  // p
double toy_loss(ToyVariant variant, const ToyPoint& point);       // a sum over the two sequences
ToyPoint toy_slope(ToyVariant variant, const ToyPoint& point);    // d point / d tau = -d loss / d point

// The linear gate with the linear loss, solved.
ToyPoint toy_closed_form(const ToyPoint& start, double tau);
double toy_closed_form_time(const ToyPoint& start, double level);  // first time p >= level; infinity if never
double toy_above_separatrix(const ToyPoint& start);                // D0 + sqrt(2) p0: its sign is the start's fate

// What the flow conserves, for the linear loss: beta0 + beta1, and D^2 - 2p^2, or D^2 - 4(a + e^a) for the bounded
// gate. The second follows from D' = 2p and a' = p(1-p) D: D dD = 2 da / (1-p) = 2 (1 + e^a) da.
struct ToyInvariants {
  double sum = 0;
  double hyperbola = 0;
};
ToyInvariants toy_invariants(ToyVariant variant, const ToyPoint& point);

// Any variant, by integration.
std::vector<ToyPoint> toy_flow(ToyVariant variant, const ToyPoint& start, std::span<const double> times,
                               const FlowOptions& options = {});
double toy_flow_time(ToyVariant variant, const ToyPoint& start, double level, double until,
                     const FlowOptions& options = {});

// Any variant, by plain gradient descent.
ToyPoint toy_descent(ToyVariant variant, ToyPoint start, double rate, std::int64_t steps);

// tau is a multiple of 2^-4.
DescentOrder toy_descent_order(ToyVariant variant, const ToyPoint& start, double tau);

}  // namespace fovea
