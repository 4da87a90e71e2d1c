// Evaluates an Expression (expression.h): on one run, on one step of its series, on several runs (room lab/query).
// Expression calls it. It reads records only.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "fovea/base/functions/functions.h"
#include "fovea/base/statistics.h"
#include "fovea/lab/query/expression_node.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/record/series.h"

namespace fovea {

namespace {

using Node = Expression::Node;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

enum class Truth { no, yes, unknown };
Truth truth(bool is_true) { return is_true ? Truth::yes : Truth::no; }

using Datum = std::variant<double, Truth, std::string>;

double as_number(const Datum& datum) {
  if (const auto* x = std::get_if<double>(&datum)) return *x;
  if (const auto* t = std::get_if<Truth>(&datum)) return *t == Truth::unknown ? nan : *t == Truth::yes ? 1.0 : 0.0;
  return nan;
}

Truth as_truth(const Datum& datum) {
  if (const auto* t = std::get_if<Truth>(&datum)) return *t;
  if (const auto* x = std::get_if<double>(&datum); x && !std::isnan(*x)) return truth(*x != 0);
  return Truth::unknown;
}

// Where names are read: a run, and inside of a function of a series, a step of it.
struct Scope {
  const RunRecord* run = nullptr;  // nullptr: outside of aggregates over several runs
  std::span<const RunRecord* const> runs;
  const std::int64_t* step = nullptr;
};

Datum evaluate(const Node& node, const Scope& scope);

Datum datum_of(const Value& value) {
  if (const auto* x = value.as<bool>()) return truth(*x);
  if (const auto* x = value.as<std::int64_t>()) return static_cast<double>(*x);
  if (const auto* x = value.as<double>()) return *x;
  if (const auto* x = value.as<std::string>()) return *x;
  return nan;
}

Datum read_name(const std::string& name, const Scope& scope) {
  if (name == "step" && scope.step) return static_cast<double>(*scope.step);
  if (!scope.run) return nan;
  const RunRecord& run = *scope.run;
  if (const auto found = run.series.find(name); found != run.series.end()) {
    if (scope.step) {
      const double* const value = value_at(found->second, *scope.step);
      return value ? *value : nan;
    }
    return found->second.values.empty() ? nan : found->second.values.back();
  }
  if (const auto setting = run.spec.setting(name)) return datum_of(*setting);
  if (const auto found = run.role.find(name); found != run.role.end()) return datum_of(found->second);
  if (name == "experiment") return run.experiment;
  if (name == "state") return state_name(run.state);
  if (name == "id") return static_cast<double>(run.id);
  if (name == "steps") return static_cast<double>(run.steps);
  if (name == "seconds") return run.seconds;
  if (name == "started") return run.started;
  if (name == "tags") return fmt::format("{}", fmt::join(run.tags, ", "));
  if (name == "note") return run.note;
  return nan;
}

// Under a hold where there is one, so of the model as it trains.
Datum read_as_trained(const std::string& name, const Scope& scope) {
  if (scope.run) {
    const auto held = scope.run->series.find(held_name(name)), plain = scope.run->series.find(name);
    if (held != scope.run->series.end() && plain != scope.run->series.end() && !plain->second.steps.empty()) {
      const std::int64_t step = scope.step ? *scope.step : plain->second.steps.back();
      if (const double* const value = value_at(held->second, step)) return *value;
    }
  }
  return read_name(name, scope);
}

void collect_series(const Node& node, const RunRecord& run, std::vector<const Series*>& out) {
  if (node.op == Op::name) {
    if (const auto found = run.series.find(node.text); found != run.series.end()) out.push_back(&found->second);
  }
  if (node.reach != Reach::plain) return;  // an inner function of a series goes over its own steps
  for (const Node& part : node.parts) collect_series(part, run, out);
}

// Every step at which something in `node` was recorded, in order.
std::vector<std::int64_t> steps_of(const Node& node, const RunRecord& run) {
  std::vector<const Series*> all;
  collect_series(node, run, all);
  std::vector<std::int64_t> steps;
  for (const Series* series : all) steps.insert(steps.end(), series->steps.begin(), series->steps.end());
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

// The first step at which x has made this share of its rise from its first value to its largest.
double step_of_rise(const Node& node, const Scope& scope) {
  const double share = as_number(evaluate(node.parts[1], scope));
  std::vector<std::pair<std::int64_t, double>> points;
  double most = -infinity;
  for (const std::int64_t& step : steps_of(node.parts[0], *scope.run)) {
    const double x = as_number(evaluate(node.parts[0], {scope.run, {}, &step}));
    if (std::isnan(x)) continue;
    points.emplace_back(step, x);
    most = std::max(most, x);
  }
  if (points.empty() || std::isnan(share)) return nan;
  const double least = points.front().second;
  if (!(most > least)) return infinity;
  for (const auto& [step, x] : points)
    if (x >= least + share * (most - least)) return static_cast<double>(step);
  return infinity;
}

double over_series(const Node& node, const Scope& scope) {
  if (!scope.run) return nan;
  if (node.op == Op::step_of_rise) return step_of_rise(node, scope);
  const Node& of = node.parts.front();
  const std::vector<std::int64_t> steps = steps_of(of, *scope.run);
  if (steps.empty()) return nan;
  if (node.op == Op::step_of) {
    for (const std::int64_t& step : steps)
      if (as_truth(evaluate(of, {scope.run, {}, &step})) == Truth::yes) return static_cast<double>(step);
    return infinity;
  }
  double limit = infinity;
  if (node.op == Op::at) {
    limit = as_number(evaluate(node.parts[1], scope));
    const bool after_end = limit > static_cast<double>(std::max(scope.run->steps, steps.back()));
    if (std::isnan(limit) || (after_end && !std::isinf(limit))) return nan;  // a step never reached is infinity
  }
  double result = nan, total = 0;
  std::int64_t points = 0;
  for (const std::int64_t& step : steps) {
    if (static_cast<double>(step) > limit) break;
    const double x = as_number(evaluate(of, {scope.run, {}, &step}));
    if (std::isnan(x)) continue;
    ++points;
    total += x;
    switch (node.op) {
      case Op::first:
        return x;
      case Op::min_over:
        result = points == 1 ? x : std::min(result, x);
        break;
      case Op::max_over:
        result = points == 1 ? x : std::max(result, x);
        break;
      default:
        result = x;  // last, at
    }
  }
  return node.op == Op::mean_over && points > 0 ? total / static_cast<double>(points) : result;
}

struct Pairs {
  std::vector<double> x, y;
};

// Runs that differ in nothing but their seed become one pair, of their medians.
double median_rank_correlation(const std::map<std::string, Pairs>& by_setting) {
  Pairs medians;
  for (const auto& [setting, pairs] : by_setting) {
    medians.x.push_back(median_of(pairs.x));
    medians.y.push_back(median_of(pairs.y));
  }
  return rank_correlation(medians.x, medians.y);
}

std::string setting_of(const RunRecord& run) {
  RunSpec spec = run.spec;
  spec.seed = 0;
  return spec.text();
}

double over_runs(const Node& node, const Scope& scope) {
  std::vector<double> values, others;
  std::map<std::string, Pairs> by_setting;
  std::int64_t holding = 0, runs = 0;
  const bool counting = counts_runs(node.op);
  for (const RunRecord* const run : scope.runs) {
    const Scope inner{run, {}, nullptr};
    if (!node.where.empty() && as_truth(evaluate(node.where.front(), inner)) != Truth::yes) continue;
    ++runs;
    if (counting) {
      if (as_truth(evaluate(node.parts.front(), inner)) == Truth::yes) ++holding;
      continue;
    }
    values.push_back(as_number(evaluate(node.parts.front(), inner)));
    if (node.parts.size() < 2) continue;
    others.push_back(as_number(evaluate(node.parts[1], inner)));
    if (node.op != Op::median_rank_correlation) continue;
    Pairs& pairs = by_setting[setting_of(*run)];
    pairs.x.push_back(values.back());
    pairs.y.push_back(others.back());
  }
  if (node.op == Op::count) return static_cast<double>(holding);
  if (runs == 0) return nan;
  if (counting) {
    const Estimate share = share_interval(holding, runs);
    return node.op == Op::share_low ? share.low : node.op == Op::share_high ? share.high : share.mean;
  }
  const auto missing = [](double x) { return std::isnan(x); };
  if (std::any_of(values.begin(), values.end(), missing) || std::any_of(others.begin(), others.end(), missing))
    return nan;
  switch (node.op) {
    case Op::median:
      return median_of(std::move(values));
    case Op::mean:
      return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    case Op::least:
      return *std::min_element(values.begin(), values.end());
    case Op::most:
      return *std::max_element(values.begin(), values.end());
    case Op::deviation:
      return deviation_of(values);
    case Op::log_slope:
      return log_slope(values, others);
    case Op::median_rank_correlation:
      return median_rank_correlation(by_setting);
    default:
      return rank_correlation(values, others);
  }
}

Truth compare_numbers(Op op, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Truth::unknown;
  switch (op) {
    case Op::less:
      return truth(a < b);
    case Op::less_equal:
      return truth(a <= b);
    case Op::more:
      return truth(a > b);
    case Op::more_equal:
      return truth(a >= b);
    case Op::equal:
      return truth(a == b);
    default:
      return truth(a != b);
  }
}

Truth compare(Op op, const Datum& a, const Datum& b) {
  const auto* const left = std::get_if<std::string>(&a);
  const auto* const right = std::get_if<std::string>(&b);
  if (!left && !right) return compare_numbers(op, as_number(a), as_number(b));
  if (!left || !right || (op != Op::equal && op != Op::unequal)) return Truth::unknown;
  return truth((*left == *right) == (op == Op::equal));
}

// and: no beats unknown beats yes; or: yes beats unknown beats no.
Truth join(const Node& node, const Scope& scope) {
  const Truth decides = node.op == Op::and_ ? Truth::no : Truth::yes;
  const Truth left = as_truth(evaluate(node.parts[0], scope));
  if (left == decides) return left;
  const Truth right = as_truth(evaluate(node.parts[1], scope));
  if (right == decides) return right;
  return left == Truth::unknown ? left : right;
}

double fold(const Node& node, const Scope& scope) {
  double result = as_number(evaluate(node.parts.front(), scope));
  for (std::size_t i = 1; i < node.parts.size(); ++i) {
    const double x = as_number(evaluate(node.parts[i], scope));
    if (std::isnan(x) || std::isnan(result)) return nan;
    result = node.op == Op::min ? std::min(result, x) : std::max(result, x);
  }
  return result;
}

Datum evaluate(const Node& node, const Scope& scope) {
  const auto part = [&](std::size_t i) { return as_number(evaluate(node.parts[i], scope)); };
  switch (node.op) {
    case Op::number:
      return node.number;
    case Op::text:
      return node.text;
    case Op::truth:
      return truth(node.number != 0);
    case Op::name:
      return read_name(node.text, scope);
    case Op::add:
      return part(0) + part(1);
    case Op::subtract:
      return part(0) - part(1);
    case Op::multiply:
      return part(0) * part(1);
    case Op::divide:
      return part(0) / part(1);
    case Op::negate:
      return -part(0);
    case Op::less:
    case Op::less_equal:
    case Op::more:
    case Op::more_equal:
    case Op::equal:
    case Op::unequal:
      return compare(node.op, evaluate(node.parts[0], scope), evaluate(node.parts[1], scope));
    case Op::and_:
    case Op::or_:
      return join(node, scope);
    case Op::not_: {
      const Truth inner = as_truth(evaluate(node.parts[0], scope));
      return inner == Truth::unknown ? inner : truth(inner == Truth::no);
    }
    case Op::abs:
      return std::abs(part(0));
    case Op::log:
      return math::log(part(0));
    case Op::exp:
      return math::exp(part(0));
    case Op::sqrt:
      return std::sqrt(part(0));
    case Op::min:
    case Op::max:
      return fold(node, scope);
    case Op::as_trained:
      return read_as_trained(node.parts.front().text, scope);
    case Op::tagged:
      if (!scope.run) return Truth::unknown;
      return truth(std::ranges::find(scope.run->tags, node.parts.front().text) != scope.run->tags.end());
    default:
      return node.reach == Reach::series ? over_series(node, scope) : over_runs(node, scope);
  }
}

}  // namespace

double evaluate(const Node& root, const RunRecord* run, std::span<const RunRecord* const> runs) {
  return as_number(evaluate(root, Scope{run, runs, nullptr}));
}

double evaluate_at(const Node& root, const RunRecord& run, std::int64_t step) {
  return as_number(evaluate(root, Scope{&run, {}, &step}));
}

}  // namespace fovea
