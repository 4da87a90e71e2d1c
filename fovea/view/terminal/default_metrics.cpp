#include "fovea/view/terminal/default_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fovea/base/number_text.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/record/held_name.h"

namespace fovea {

namespace {

// The texts of a figure's `y`: one, or a list.
std::vector<std::string> drawn(const FigureSpec& figure) {
  std::vector<std::string> texts;
  const auto y = figure.settings.find("y");
  if (y == figure.settings.end()) return texts;
  if (const auto* one = y->second.as<std::string>()) texts.push_back(*one);
  if (const auto* list = y->second.as<ValueList>())
    for (const Value& item : *list)
      if (const auto* text = item.as<std::string>()) texts.push_back(*text);
  return texts;
}

// Names that the experiment draws and claims, in that order. Unknown where it is a file of the user's.
std::vector<std::string> names_of(const std::string& experiment_name) {
  std::vector<std::string> names;
  const std::vector<std::string> shipped = experiment_names();
  if (std::ranges::find(shipped, experiment_name) == shipped.end()) return names;
  const Experiment experiment = find_experiment(experiment_name);
  std::vector<std::string> texts;
  for (const FigureSpec& figure : experiment.figures)
    for (std::string& text : drawn(figure)) texts.push_back(std::move(text));
  for (const Claim& claim : experiment.claims) texts.push_back(claim.metric);
  for (const std::string& text : texts)
    for (const std::string& name : Expression::parse(text).names())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

void compare(const std::string& prefix, const ValueTable& a, const ValueTable& b, std::set<std::string>& keys) {
  if (a == b) return;
  const auto one_way = [&](const ValueTable& from, const ValueTable& to) {
    for (const auto& [key, value] : from) {
      const auto other = to.find(key);
      const auto* inner = value.as<ValueTable>();
      const auto* other_inner = other == to.end() ? nullptr : other->second.as<ValueTable>();
      if (inner && other_inner) compare(prefix + key + ".", *inner, *other_inner, keys);
      else if (RunSpec::changes_numbers(prefix + key) && (other == to.end() || !(value == other->second)))
        keys.insert(prefix + key);
    }
  };
  one_way(a, b);
  one_way(b, a);
}

// Whether it is of one map of several: …_l2, or …_l2_h1.
bool is_of_one_map(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.rfind("_l")));
  if (!number_after("_l", name)) return false;
  return name.empty() || (number_after("_h", name) && name.empty());
}

// What a metric weighs that nothing draws or claims: what is learned tells most; then the rest, and at last what is of
// one map, what chance has, and the audit, which is told in words elsewhere.
double weight_of(std::string_view name) {
  if (name == "loss" || name == "accuracy") return 0.015;
  const bool detail = is_of_one_map(name) || name.ends_with("_chance") || name.starts_with("audit_");
  return detail ? 0.001 : 0.01;
}

}  // namespace

std::vector<std::string> default_metrics(const Runs& runs) {
  std::map<std::string, std::vector<std::string>> told;
  std::map<std::string, double> weight;
  for (const RunRecord* run : runs) {
    const auto [own, fresh] = told.try_emplace(run->experiment);
    if (fresh) own->second = names_of(run->experiment);
    for (const auto& [name, series] : run->series)
      if (!is_held_name(name)) weight[name] += weight_of(name);
    for (std::size_t i = 0; i < own->second.size(); ++i)
      if (run->series.contains(own->second[i])) weight[own->second[i]] += 1 / (1.0 + static_cast<double>(i));
  }
  if (const auto last = weight.find("train_loss"); last != weight.end()) last->second = 0;
  std::vector<std::string> names;
  names.reserve(weight.size());
  for (const auto& entry : weight) names.push_back(entry.first);
  std::ranges::stable_sort(names, std::greater(), [&weight](const std::string& name) { return weight[name]; });
  return names;
}

std::vector<std::string> as_trained(std::vector<std::string> metrics, const Runs& runs) {
  for (std::string& metric : metrics) {
    const auto held = [&metric](const RunRecord* run) { return run->series.contains(held_name(metric)); };
    if (!metric.starts_with("rung_") && std::ranges::any_of(runs, held)) metric = fmt::format("as_trained({})", metric);
  }
  return metrics;
}

std::vector<std::string> differing_settings(const Runs& runs) {
  std::map<std::string, const RunSpec*> first;  // of each experiment
  std::set<std::string> keys;
  for (const RunRecord* run : runs) {
    const RunSpec& spec = run->spec;
    const RunSpec& one = *first.try_emplace(run->experiment, &spec).first->second;
    compare("task.", one.task, spec.task, keys);
    compare("model.", one.model, spec.model, keys);
    compare("train.", one.train, spec.train, keys);
    compare("probe.", one.probe, spec.probe, keys);
    if (one.setting("hold") != spec.setting("hold")) keys.insert("hold");
    else if (one.setting("intervene") != spec.setting("intervene")) keys.insert("intervene");
  }
  return {keys.begin(), keys.end()};
}

}  // namespace fovea
