// How long an induction head takes to form, by the gradient flow of three scalars (room theory). Pure functions.
// theory/streams/stream_prediction.h, the probe `induction-flow` and lab/analysis call it. A context of T positions
// contains T different tokens of V, V >= T. The query occurred once before in it, and the token after that earlier
// copy is asked.
//
//   a   previous token: how much layer 1 prefers the position before each position, among T
//   b   match: how much layer 2 prefers the position whose predecessor is the query, if layer 1 shows it
//   w   copy: the logit that the attended token adds to itself
//
//   alpha1 = 1 / (1 + (T - 1) e^-a)                 weight of layer 1 on the previous position
//   alpha2 = 1 / (1 + (T - 1) e^-(b alpha1))        weight of layer 2 on the position after the earlier copy
//   loss   = -w alpha2 + log(e^(w alpha2) + (T - 1) e^(w (1 - alpha2) / (T - 1)) + V - T)
//   (w, b, a)' = -gradient of the loss, from b = a = 0;     w' and b' over V where each token has its own
//
// With Z the sum inside the logarithm, e1 = e^(w alpha2), e2 = e^(w (1 - alpha2) / (T - 1)) and u = b alpha1:
//
//   w' = alpha2 [V - T + (T - 1) e2 (1 - e^-u)] / Z         at the start (V - T) / (T V) = 1/T - 1/V
//   g  = w [T e2 + V - T] / Z                               -d loss / d alpha2
//   b' = g alpha2 (1 - alpha2) alpha1
//   a' = g alpha2 (1 - alpha2) b alpha1 (1 - alpha1)
//
// Nothing moves at w = b = 0 if V = T: all contexts have the same tokens, so uniform attention gives no information.
//
// In a model whose embeddings hardly overlap, what is copied and what is matched is learned token by token: w_v moves
// only with examples whose answer is v, and b_v with those that ask for v, one in V of either. The previous token is
// a matter of positions, and all examples teach it. If all w_v and b_v grow alike, that is the flow above with w' and
// b' over V; where only some tokens ask, b' over how many these are.
//
// If answers are at c of the t positions up to the asking one, log T is the mean of log t/c: the loss under uniform
// attention.
//
// A first layer that is causal reads t + 1 positions at position t, not T at every one. Then both weights depend on
// where the earlier copy stands, and the loss is a mean over that: theory/causal_induction.h.
#pragma once

#include <span>
#include <vector>

#include "fovea/theory/flow.h"

namespace fovea {

struct InductionContext {
  double positions = 0;                                       // T, 2 or more
  int vocabulary = 0;                                         // V, T or more
  enum class Memory { shared, own } memory = Memory::shared;  // one w and b for all tokens, or one each
  double level = 0;  // the loss below which it counts as learned; 0: half of log V
  int asking = 0;    // tokens that ask, where each has its own memory; 0: all V
  enum class FirstLayer { everywhere, causal } first_layer = FirstLayer::everywhere;  // causal: T is whole
};

struct InductionPoint {
  double copy = 0;      // w
  double match = 0;     // b
  double previous = 0;  // a
};

// What is given instead of learned.
struct InductionClamps {
  bool previous = false;  // a = infinity: alpha1 = 1
  bool match = false;     // b = infinity: alpha2 = 1, whatever a is
  double start_copy = 0;  // w at time 0; it is learned on from there,
  bool copy = false;      // or else it stays there
};

double induction_loss(const InductionContext& context, const InductionPoint& point, const InductionClamps& clamps = {});

// d point / d time of a shared memory; what is clamped does not move.
InductionPoint induction_slope(const InductionContext& context, const InductionPoint& point,
                               const InductionClamps& clamps = {});

std::vector<InductionPoint> induction_flow(const InductionContext& context, std::span<const double> times,
                                           const InductionClamps& clamps = {}, const FlowOptions& options = {});

// Halfway from the loss of uniform attention to that of attention to the right position, for one w: the level of an
// event where w does not move.
double induction_halfway(const InductionContext& context, double copy);

// The first time at which the loss is below the level; infinity if that is after `until` or never. Throws
// wrong_input of a context that cannot be.
double induction_time(const InductionContext& context, const InductionClamps& clamps = {}, double until = 1e9,
                      const FlowOptions& options = {});

// The same under descent of w, b and a along the signs of their slopes at a rate of 1, from a small start above 0: Adam
// in the limit of small steps without noise.
double induction_sign_time(const InductionContext& context, const InductionClamps& clamps = {}, double until = 1e3);

}  // namespace fovea
