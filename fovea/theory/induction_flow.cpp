#include "fovea/theory/induction_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"
#include "fovea/theory/causal_induction.h"

namespace fovea {

namespace {

// A weight and what it leaves for the others, each without cancellation.
struct Weight {
  double here = 1, elsewhere = 0;
};

Weight weight_of(double logit, double others) {
  const double x = logit - math::log(others);
  return {logistic(x), logistic(-x)};
}

struct Heads {
  Weight previous, match;
};

Heads heads_of(const InductionContext& context, const InductionPoint& point, const InductionClamps& clamps) {
  const double others = context.positions - 1;
  Heads heads;
  if (!clamps.previous) heads.previous = weight_of(point.previous, others);
  if (!clamps.match) heads.match = weight_of(point.match * heads.previous.here, others);
  return heads;
}

// e^(w alpha2), e^(w (1 - alpha2) / (T - 1)), 1 and their sum Z over the vocabulary, all by a common factor e^-top.
struct Exponentials {
  double top = 0, answer = 0, other = 0, absent = 0, sum = 0;
};

Exponentials exponentials_of(const InductionContext& context, double copy, const Weight& match) {
  const double others = context.positions - 1, absent = context.vocabulary - context.positions;
  const double answer = copy * match.here, other = copy * match.elsewhere / others;
  Exponentials e;
  e.top = std::max({answer, other, 0.0});
  e.answer = math::exp(answer - e.top);
  e.other = math::exp(other - e.top);
  e.absent = absent * math::exp(-e.top);
  e.sum = e.answer + others * e.other + e.absent;
  return e;
}

bool is_causal(const InductionContext& context) { return context.first_layer == InductionContext::FirstLayer::causal; }

void check(const InductionContext& context) {
  if (context.positions < 2)
    throw wrong_input(
        fmt::format("an earlier copy needs a context of 2 positions, and this one has {}", context.positions),
        "use a longer context");
  if (context.vocabulary < context.positions)
    throw wrong_input(fmt::format("{} positions cannot have different tokens of a vocabulary of {}", context.positions,
                                  context.vocabulary),
                      "use a vocabulary with at least as many tokens as positions");
  if (is_causal(context) && context.positions != std::floor(context.positions))
    throw wrong_input(fmt::format("a causal first layer has a whole number of positions, not {}", context.positions),
                      "round it");
}

double level_of(const InductionContext& context) {
  return context.level > 0 ? context.level : math::log(context.vocabulary) / 2;
}

FlowState start_of(const InductionClamps& clamps) { return {clamps.start_copy, 0, 0}; }
InductionPoint point_of(const FlowState& state) { return {state[0], state[1], state[2]}; }

FlowField field_of(const InductionContext& context, const InductionClamps& clamps) {
  return [context, clamps](const FlowState& state, FlowState& change) {
    const InductionPoint slope = induction_slope(context, point_of(state), clamps);
    const bool own = context.memory == InductionContext::Memory::own;
    change[0] = clamps.copy ? 0 : own ? slope.copy / context.vocabulary : slope.copy;
    change[1] = own ? slope.match / (context.asking > 0 ? context.asking : context.vocabulary) : slope.match;
    change[2] = slope.previous;
  };
}

}  // namespace

double induction_loss(const InductionContext& context, const InductionPoint& point, const InductionClamps& clamps) {
  if (is_causal(context)) return causal_induction_loss(context, point, clamps);
  const Weight match = heads_of(context, point, clamps).match;
  const Exponentials e = exponentials_of(context, point.copy, match);
  // The answer's own share is the largest where the loss is low: log Z - w alpha2 = log(1 + (Z - e1) / e1).
  const double others = (context.positions - 1) * e.other + e.absent;
  if (e.answer >= others) return math::log1p(others / e.answer);
  return e.top + math::log(e.sum) - point.copy * match.here;
}

InductionPoint induction_slope(const InductionContext& context, const InductionPoint& point,
                               const InductionClamps& clamps) {
  if (is_causal(context)) return causal_induction_slope(context, point, clamps);
  const auto [previous, match] = heads_of(context, point, clamps);
  const Exponentials e = exponentials_of(context, point.copy, match);
  InductionPoint slope;
  if (clamps.match) {
    slope.copy = ((context.positions - 1) * e.other + e.absent) / e.sum;
    return slope;
  }
  // alpha2 (T - 1) (1 - e^-u) = (1 - alpha2) (e^u - 1): of the two the one that does not overflow.
  const double u = point.match * previous.here;
  const double lean =
      u >= 0 ? -match.here * (context.positions - 1) * math::expm1(-u) : match.elsewhere * math::expm1(u);
  slope.copy = (match.here * e.absent + lean * e.other) / e.sum;
  const double pull = point.copy * (context.positions * e.other + e.absent) / e.sum * match.here * match.elsewhere;
  slope.match = pull * previous.here;
  if (!clamps.previous) slope.previous = pull * point.match * previous.here * previous.elsewhere;
  return slope;
}

double induction_halfway(const InductionContext& context, double copy) {
  return (induction_loss(context, {copy, 0, 0}) + induction_loss(context, {copy, 0, 0}, {.match = true})) / 2;
}

std::vector<InductionPoint> induction_flow(const InductionContext& context, std::span<const double> times,
                                           const InductionClamps& clamps, const FlowOptions& options) {
  check(context);
  std::vector<InductionPoint> points;
  points.reserve(times.size());
  for (const FlowState& state : follow_flow(field_of(context, clamps), start_of(clamps), times, options))
    points.push_back(point_of(state));
  return points;
}

double induction_time(const InductionContext& context, const InductionClamps& clamps, double until,
                      const FlowOptions& options) {
  check(context);
  const double level = context.level > 0 ? context.level : math::log(context.vocabulary) / 2;
  const auto reached = [&](const FlowState& state) { return level - induction_loss(context, point_of(state), clamps); };
  return first_flow_time(field_of(context, clamps), start_of(clamps), reached, until, options);
}

double induction_sign_time(const InductionContext& context, const InductionClamps& clamps, double until) {
  check(context);
  constexpr double step = 1e-2, start = 1e-3;
  const double level = level_of(context);
  const auto sign = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; };
  InductionPoint at{clamps.copy ? clamps.start_copy : clamps.start_copy + start, start, start};
  for (double time = 0; time < until; time += step) {
    if (induction_loss(context, at, clamps) < level) return time;
    const InductionPoint slope = induction_slope(context, at, clamps);
    if (!clamps.copy) at.copy += step * sign(slope.copy);
    at.match += step * sign(slope.match);
    at.previous += step * sign(slope.previous);
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace fovea
