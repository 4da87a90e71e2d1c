#include "fovea/theory/sparse_emergence.h"

#include <fmt/format.h>

#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"

namespace fovea {

namespace {

void check(const SparseSetting& setting) {
  if (setting.positions < 2)
    throw wrong_input(fmt::format("attention over {} positions has nothing to choose", setting.positions),
                      "use 2 or more");
  if (setting.width < 1) throw wrong_input(fmt::format("the vectors have width {}", setting.width), "use 1 or more");
  if (setting.copies < 1 || setting.copies >= setting.positions)
    throw wrong_input(fmt::format("{} copies in {} positions", setting.copies, setting.positions),
                      "use 1 or more, and fewer copies than positions");
}

struct Weights {
  double here, elsewhere;  // alpha, 1 - alpha: the second from the logit, for alpha near 1 would lose it
};

Weights weights_of(const SparseSetting& setting, double logit) {
  const double x = logit - math::log((setting.positions - setting.copies) / static_cast<double>(setting.copies));
  return {logistic(x), logistic(-x)};
}

SparsePoint sparse_point(const FlowState& state) { return {state[0], state[1]}; }

FlowField sparse_field(const SparseSetting& setting) {
  return [setting](const FlowState& state, FlowState& change) {
    const SparsePoint slope = sparse_slope(setting, sparse_point(state));
    change[0] = slope.weight;
    change[1] = slope.logit;
  };
}

}  // namespace

double sparse_attention(const SparseSetting& setting, const SparsePoint& point) {
  return weights_of(setting, point.logit).here;
}

double sparse_loss(const SparseSetting& setting, const SparsePoint& point) {
  const auto [here, elsewhere] = weights_of(setting, point.logit);
  const double missing = std::sqrt(setting.width) - here * point.weight, noise = elsewhere * point.weight;
  return (missing * missing + noise * noise / (setting.positions - setting.copies)) / (2.0 * setting.width);
}

SparsePoint sparse_slope(const SparseSetting& setting, const SparsePoint& point) {
  const auto [here, elsewhere] = weights_of(setting, point.logit);
  const double others = setting.positions - setting.copies, w = point.weight;
  const double missing = std::sqrt(setting.width) - here * w;
  SparsePoint slope;
  slope.weight = (here * missing - elsewhere * elsewhere * w / others) / setting.width;
  slope.logit = here * elsewhere * (w * missing + elsewhere * w * w / others) / setting.width *
                (1 / (setting.shared ? 1.0 : setting.copies) + 1 / others);
  return slope;
}

std::vector<SparsePoint> sparse_flow(const SparseSetting& setting, std::span<const double> times,
                                     const FlowOptions& options) {
  check(setting);
  std::vector<SparsePoint> points;
  points.reserve(times.size());
  for (const FlowState& state : follow_flow(sparse_field(setting), {0, 0}, times, options))
    points.push_back(sparse_point(state));
  return points;
}

SparsePoint sparse_linearised(const SparseSetting& setting, double time) {
  const double tau = time / (setting.positions * std::sqrt(setting.width));
  const double half = math::sinh(tau / 2);  // cosh tau - 1 = 2 sinh^2 (tau / 2)
  return {math::sinh(tau), 2 * half * half};
}

double sparse_time(const SparseSetting& setting, double until, const FlowOptions& options) {
  check(setting);
  const auto reached = [&](const FlowState& state) { return 0.25 - sparse_loss(setting, sparse_point(state)); };
  return first_flow_time(sparse_field(setting), {0, 0}, reached, until, options);
}

}  // namespace fovea
