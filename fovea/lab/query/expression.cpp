#include "fovea/lab/query/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fovea/base/number_text.h"
#include "fovea/lab/query/expression_node.h"
#include "fovea/lab/record/held_name.h"

namespace fovea {

namespace {

using Node = Expression::Node;

bool any_node(const Node& node, const auto& test) {
  if (test(node)) return true;
  const auto deeper = [&test](const Node& part) { return any_node(part, test); };
  return std::any_of(node.parts.begin(), node.parts.end(), deeper) ||
         std::any_of(node.where.begin(), node.where.end(), deeper);
}

void collect_names(const Node& node, bool in_series, std::set<std::string>& names) {
  const bool step_itself = in_series && node.text == "step";
  if (node.op == Op::name && !step_itself) names.insert(node.text);
  if (node.op == Op::tagged) names.insert("tags");
  for (const Node& part : node.parts) collect_names(part, in_series || node.reach == Reach::series, names);
  for (const Node& condition : node.where) collect_names(condition, in_series, names);
}

void collect_held_names(const Node& node, std::set<std::string>& names) {
  if (node.op == Op::as_trained) names.insert(held_name(node.parts.front().text));
  for (const Node& part : node.parts) collect_held_names(part, names);
  for (const Node& condition : node.where) collect_held_names(condition, names);
}

void collect_quantities(const Node& node, std::set<std::string>& quantities) {
  if (node.op == Op::name || node.op == Op::tagged || node.op == Op::as_trained || node.reach == Reach::series) {
    quantities.insert(node.text);
    return;
  }
  for (const Node& part : node.parts) collect_quantities(part, quantities);
  for (const Node& condition : node.where) collect_quantities(condition, quantities);
}

// Names that stand for a condition by themselves; `wanted`: the node itself is used as one.
void collect_conditions(const Node& node, bool wanted, std::set<std::string>& names) {
  if (node.op == Op::name && wanted) names.insert(node.text);
  const bool joins = node.op == Op::and_ || node.op == Op::or_ || node.op == Op::not_;
  const bool takes = counts_runs(node.op) || node.op == Op::step_of;
  for (const Node& part : node.parts) collect_conditions(part, joins || takes, names);
  for (const Node& condition : node.where) collect_conditions(condition, true, names);
}

bool reads_a_step(const Node& node) {
  if (node.op == Op::name) return true;
  return node.reach == Reach::plain && std::ranges::any_of(node.parts, reads_a_step);
}

using Runs = std::vector<const RunRecord*>;

void collect_missing(const Node& node, const Runs& runs, std::vector<Expression::Missing>& all) {
  const auto add = [&all](Expression::Missing missing) {
    if (std::ranges::find(all, missing) == all.end()) all.push_back(std::move(missing));
  };
  if (node.reach == Reach::runs) {
    Runs left = runs;
    for (const Node& condition : node.where)
      std::erase_if(left, [&](const RunRecord* run) { return !(evaluate(condition, run, {}) == 1); });
    if (left.empty() && !runs.empty()) return add({node.text});
    for (const Node& part : node.parts) collect_missing(part, left, all);
  } else if (node.op == Op::name || node.reach == Reach::series) {
    std::set<std::string> names;
    collect_names(node, false, names);
    for (const std::string& name : names) {
      const auto lacks = [&name](const RunRecord* run) { return !run_has(*run, name); };
      const auto lacking = static_cast<std::size_t>(std::ranges::count_if(runs, lacks));
      if (lacking > 0) add({name, lacking, runs.size()});
    }
    if (node.op != Op::at) return;
    const auto ends_before = [&](const RunRecord* run) {
      const auto has = [run](const std::string& name) { return run_has(*run, name); };
      return std::ranges::all_of(names, has) && std::isnan(evaluate(node, run, {}));
    };
    if (const auto lacking = static_cast<std::size_t>(std::ranges::count_if(runs, ends_before)); lacking > 0)
      add({node.text, lacking, runs.size()});
  } else {
    for (const Node& part : node.parts) collect_missing(part, runs, all);
  }
}

// Of a number over runs, each of which has its own.
std::string undefined_over_runs(const Node& node, const Runs& runs) {
  const bool compares =
      node.op == Op::rank_correlation || node.op == Op::median_rank_correlation || node.op == Op::deviation;
  if (!compares || !std::isnan(evaluate(node, nullptr, runs))) return {};
  return fmt::format("{} of too few runs, or of runs that are all equal", function_name(node.op));
}

std::string find_undefined(const Node& node, const RunRecord* run, const Runs& runs) {
  if (node.reach == Reach::series || counts_runs(node.op)) return {};
  const bool over_runs = node.reach == Reach::runs;
  std::vector<double> operands;
  for (const Node& part : node.parts) {
    for (const RunRecord* const one : over_runs ? runs : Runs{run}) {
      const bool left = !over_runs || node.where.empty() || evaluate(node.where.front(), one, {}) == 1;
      if (!left || !std::isnan(evaluate(part, one, runs))) continue;
      if (const std::string found = find_undefined(part, one, runs); !found.empty()) return found;
    }
    if (!over_runs) operands.push_back(evaluate(part, run, runs));
  }
  if (over_runs) return undefined_over_runs(node, runs);
  const bool known = std::ranges::none_of(operands, [](double x) { return std::isnan(x); });
  if (operands.empty() || !known || !std::isnan(evaluate(node, run, runs))) return {};
  if (operands.size() == 1)
    return fmt::format("{} of {}", node.op == Op::log ? "log" : "sqrt", number_text(operands[0]));
  const char* const sign = node.op == Op::divide ? "/" : node.op == Op::multiply ? "*" : node.op == Op::add ? "+" : "-";
  return fmt::format("{} {} {}", number_text(operands[0]), sign, number_text(operands[1]));
}

bool names_outside(const Node& node) {
  if (node.op == Op::name || node.op == Op::tagged) return true;
  if (node.reach == Reach::runs) return false;
  return std::any_of(node.parts.begin(), node.parts.end(), names_outside);
}

}  // namespace

Expression Expression::parse(const std::string& text, const Location& location) {
  Expression expression;
  expression.text_ = text;
  expression.location_ = location;
  expression.root_ = std::make_shared<const Node>(parse_expression(text, location));
  return expression;
}

const Expression& Expression::require_single_run() const {
  if (has_aggregate())
    throw wrong_input(fmt::format("'{}' needs many runs, and this is one run", text_),
                      "remove functions over runs, such as share and median", location_);
  return *this;
}

const Expression& Expression::require_condition() const {
  return root_->sort == Sort::any ? *this : require_condition_on_metrics();
}

const Expression& Expression::require_condition_on_metrics() const {
  if (root_->sort != Sort::condition)
    throw wrong_input(fmt::format("'{}' is not a condition", text_),
                      fmt::format("write a comparison, as in '{} >= 1'", text_), location_);
  return *this;
}

double Expression::number(const RunRecord& run) const {
  require_single_run();
  return evaluate(*root_, &run, {});
}

double Expression::number(const RunRecord& run, std::int64_t step) const {
  require_single_run();
  return evaluate_at(*root_, run, step);
}

bool Expression::is_true(const RunRecord& run) const {
  require_single_run().require_condition();
  const double value = evaluate(*root_, &run, {});
  return value != 0 && !std::isnan(value);
}

double Expression::number(std::span<const RunRecord* const> runs) const {
  return evaluate(*root_, runs.size() == 1 ? runs.front() : nullptr, runs);
}

bool Expression::is_name() const { return root_->op == Op::name; }

bool Expression::has_aggregate() const {
  return any_node(*root_, [](const Node& node) { return node.reach == Reach::runs; });
}

bool Expression::reads_series() const {
  return any_node(*root_, [](const Node& node) { return node.reach == Reach::series; });
}

bool Expression::reads_single_steps() const { return reads_a_step(*root_); }

std::set<std::string> Expression::bare_conditions() const {
  std::set<std::string> names;
  collect_conditions(*root_, true, names);
  return names;
}

bool Expression::reads_outside_aggregates() const { return names_outside(*root_); }

std::set<std::string> Expression::names() const {
  std::set<std::string> names;
  collect_names(*root_, false, names);
  return names;
}

std::set<std::string> Expression::columns() const {
  std::set<std::string> columns = names();
  collect_held_names(*root_, columns);
  return columns;
}

std::set<std::string> Expression::quantities() const {
  std::set<std::string> quantities;
  collect_quantities(*root_, quantities);
  return quantities;
}

std::vector<Expression::Missing> Expression::missing(std::span<const RunRecord* const> runs) const {
  std::vector<Missing> all;
  collect_missing(*root_, Runs(runs.begin(), runs.end()), all);
  return all;
}

std::string Expression::undefined(std::span<const RunRecord* const> runs) const {
  return find_undefined(*root_, runs.size() == 1 ? runs.front() : nullptr, Runs(runs.begin(), runs.end()));
}

std::span<const std::string> run_facts() {
  static const std::vector<std::string> facts{"id",      "experiment", "state", "steps",
                                              "seconds", "started",    "tags",  "note"};
  return facts;
}

bool run_has(const RunRecord& run, const std::string& name) {
  const auto found = run.series.find(name);
  return (found != run.series.end() && !found->second.values.empty()) ||
         std::ranges::find(run_facts(), name) != run_facts().end() || run.spec.setting(name).has_value() ||
         run.role.contains(name);
}

}  // namespace fovea
