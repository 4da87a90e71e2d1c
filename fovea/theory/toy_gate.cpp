#include "fovea/theory/toy_gate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"

namespace fovea {

namespace {

constexpr double root = std::numbers::sqrt2;

FlowField field_of(ToyVariant variant) {
  return [variant](const FlowState& state, FlowState& change) {
    const ToyPoint slope = toy_slope(variant, {state[0], state[1], state[2]});
    change[0] = slope.beta0;
    change[1] = slope.beta1;
    change[2] = slope.gate;
  };
}

FlowState state_of(const ToyPoint& point) { return {point.beta0, point.beta1, point.gate}; }

// p(tau) = rise e^(sqrt2 tau) + fall e^(-sqrt2 tau)
struct Branches {
  double rise, fall;
};
Branches branches(const ToyPoint& start) {
  const double d = start.difference() / root;
  return {(start.gate + d) / 2, (start.gate - d) / 2};
}

}  // namespace

double toy_attention(ToyVariant variant, const ToyPoint& point) {
  return variant.gate == ToyVariant::Gate::bounded ? logistic(point.gate) : point.gate;
}

double toy_loss(ToyVariant variant, const ToyPoint& point) {
  const double s0 = point.beta0;
  const double s1 = point.beta0 + toy_attention(variant, point) * point.difference();
  return variant.loss == ToyVariant::Loss::linear ? s0 - s1 : softplus(s0) + softplus(-s1);
}

ToyPoint toy_slope(ToyVariant variant, const ToyPoint& point) {
  const bool linear_loss = variant.loss == ToyVariant::Loss::linear;
  const double p = toy_attention(variant, point);
  const double s1 = point.beta0 + p * point.difference();
  const double down = linear_loss ? 1 : logistic(point.beta0);  // d loss / d s0
  const double up = linear_loss ? 1 : logistic(-s1);            // -d loss / d s1
  // 1 - p from the logit: p near 1 would lose it
  const double rest = variant.gate == ToyVariant::Gate::bounded ? logistic(-point.gate) : 1 - p;
  const double gate_slope = variant.gate == ToyVariant::Gate::bounded ? p * rest : 1;
  return {linear_loss ? -p : up * rest - down, up * p, up * point.difference() * gate_slope};
}

ToyPoint toy_closed_form(const ToyPoint& start, double tau) {
  const double d0 = start.difference(), p0 = start.gate;
  const double c = math::cosh(root * tau), s = math::sinh(root * tau);
  const double d = d0 * c + root * p0 * s;
  const double middle = (start.beta0 + start.beta1) / 2;
  return {middle - d / 2, middle + d / 2, p0 * c + d0 / root * s};
}

// With x = e^(sqrt2 tau) >= 1, p = level is rise x^2 - level x + fall = 0, and the first time is its least root that is
// 1 or more.
double toy_closed_form_time(const ToyPoint& start, double level) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (start.gate >= level) return 0;
  const auto [rise, fall] = branches(start);
  const double inner = level * level - 4 * rise * fall;
  if (inner < 0) return never;
  // Both roots without cancellation: q / rise and fall / q.
  const double q = (level + std::copysign(std::sqrt(inner), level)) / 2;
  double least = never;
  for (const double x : {q / rise, fall / q}) {
    if (x >= 1) least = std::min(least, x);
  }
  return math::log(least) / root;
}

double toy_above_separatrix(const ToyPoint& start) { return start.difference() + root * start.gate; }

ToyInvariants toy_invariants(ToyVariant variant, const ToyPoint& point) {
  assert(variant.loss == ToyVariant::Loss::linear);
  const double d = point.difference();
  const double gate = variant.gate == ToyVariant::Gate::bounded ? 4 * (point.gate + math::exp(point.gate))
                                                                : 2 * point.gate * point.gate;
  return {point.beta0 + point.beta1, d * d - gate};
}

std::vector<ToyPoint> toy_flow(ToyVariant variant, const ToyPoint& start, std::span<const double> times,
                               const FlowOptions& options) {
  std::vector<ToyPoint> points;
  points.reserve(times.size());
  for (const FlowState& state : follow_flow(field_of(variant), state_of(start), times, options)) {
    points.push_back({state[0], state[1], state[2]});
  }
  return points;
}

double toy_flow_time(ToyVariant variant, const ToyPoint& start, double level, double until,
                     const FlowOptions& options) {
  const auto reached = [&](const FlowState& state) {
    return toy_attention(variant, {state[0], state[1], state[2]}) - level;
  };
  return first_flow_time(field_of(variant), state_of(start), reached, until, options);
}

ToyPoint toy_descent(ToyVariant variant, ToyPoint start, double rate, std::int64_t steps) {
  for (std::int64_t step = 0; step < steps; ++step) {
    const ToyPoint slope = toy_slope(variant, start);
    start.beta0 += rate * slope.beta0;
    start.beta1 += rate * slope.beta1;
    start.gate += rate * slope.gate;
  }
  return start;
}

DescentOrder toy_descent_order(ToyVariant variant, const ToyPoint& start, double tau) {
  const double times[] = {tau};
  const bool solved = variant == ToyVariant{};
  const ToyPoint truth = solved ? toy_closed_form(start, tau) : toy_flow(variant, start, times).front();
  return descent_order(tau, [&](double rate, std::int64_t steps) {
    const ToyPoint end = toy_descent(variant, start, rate, steps);
    return math::hypot(end.beta0 - truth.beta0, end.beta1 - truth.beta1, end.gate - truth.gate);
  });
}

}  // namespace fovea
