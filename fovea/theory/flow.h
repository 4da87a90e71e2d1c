// Integrates gradient flows, adaptively and with dense output (Boost.odeint's Dormand-Prince 5(4)) (room theory).
// Pure functions. The flows of this room call it (toy_gate.h, unigram_gate.h, induction_flow.h, sparse_emergence.h,
// course.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fovea {

using FlowState = std::vector<double>;

// d state / d time, written into the third; it is already of the right size.
using FlowField = std::function<void(const FlowState& state, FlowState& change)>;

struct FlowOptions {
  double tolerance = 1e-13;              // of a step, absolute and relative to the state
  std::int64_t most_steps = 10'000'000;  // more than this is a failure, not a wait
};

// The states at `times`, which start at 0 or later and do not fall. Throws failure where the flow leaves the finite
// numbers or needs more than options.most_steps.
std::vector<FlowState> follow_flow(const FlowField& field, const FlowState& start, std::span<const double> times,
                                   const FlowOptions& options = {});

// Calls visit(time, state) at each of `times` until it returns false. Returns whether all were visited; false also
// where the flow needs more than options.most_steps, for those who look as far as they can see.
bool watch_flow(const FlowField& field, const FlowState& start, std::span<const double> times,
                const std::function<bool(double, const FlowState&)>& visit, const FlowOptions& options = {});

// The first time at which reached(state) is 0 or more, by root finding on the dense output; infinity if that is after
// `until` or never. A rise and fall within one step of the integrator is not seen.
double first_flow_time(const FlowField& field, const FlowState& start,
                       const std::function<double(const FlowState&)>& reached, double until,
                       const FlowOptions& options = {});

// How far gradient descent to one time ends from the flow, for the rates 2^-4 … 2^-10, and the power of the rate that
// fits it: the slope of log distance over log rate. NaN where a distance is 0.
struct DescentOrder {
  std::vector<double> rates, distances;
  double order = 0;
};
// distance(rate, steps) with steps * rate = tau, which is a multiple of 2^-4.
DescentOrder descent_order(double tau, const std::function<double(double rate, std::int64_t steps)>& distance);

}  // namespace fovea
