#include "fovea/view/plot/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fovea/base/error/names.h"
#include "fovea/base/flatten.h"
#include "fovea/base/number_text.h"
#include "fovea/base/statistics.h"
#include "fovea/lab/record/series.h"

namespace fovea {

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

std::optional<Value> value_of(const RunRecord& run, const std::string& key) {
  if (key == "experiment") return Value{run.experiment, {}};
  if (const auto found = run.role.find(key); found != run.role.end()) return found->second;
  return run.spec.setting(key);
}

double number_of(const Value& value) {
  if (const auto* real = value.as<double>()) return *real;
  if (const auto* whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  return nan_value;
}

std::string plain(const Value& value) {
  const auto* words = value.as<std::string>();
  if (words) return *words;
  const double number = number_of(value);
  return std::isnan(number) ? value.text() : number_text(number);
}

std::string last_part(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return without_underscores(dot == std::string::npos ? key : key.substr(dot + 1));
}

}  // namespace

std::map<std::string, std::string> flat_settings(const RunSpec& spec) {
  std::map<std::string, std::string> flat;
  const auto add = [&flat](const std::string& prefix, const ValueTable& table) {
    for (const auto& [name, value] : flatten(table, prefix)) flat[name] = value->text();
  };
  add("task.", spec.task);
  add("model.", spec.model);
  add("train.", spec.train);
  add("probe.", spec.probe);
  if (!spec.interventions.empty()) flat["interventions"] = Value{spec.interventions, {}}.text();
  return flat;
}

std::string without_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string run_name(const RunRecord& run) {
  return (run.id == 0 ? "" : "run " + std::to_string(run.id) + ", ") + "seed " + std::to_string(run.spec.seed);
}

Series quantile_course(const std::vector<Series>& all, double share) {
  std::map<std::int64_t, std::vector<double>> at;
  std::vector<std::int64_t> ends;
  for (const Series& series : all) {
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      if (!std::isnan(series.values[i])) at[series.steps[i]].push_back(series.values[i]);
    if (!series.steps.empty()) ends.push_back(series.steps.back());
  }
  std::sort(ends.begin(), ends.end());
  const std::int64_t last = ends.empty() ? 0 : ends[ends.size() / 10];
  Series course;
  for (auto& [step, values] : at) {
    if (step > last || 2 * values.size() < all.size()) continue;
    course.steps.push_back(step);
    course.values.push_back(quantile_of(std::move(values), share));
  }
  return course;
}

Quantity::Quantity(std::string text, const Location& location)
    : text_(std::move(text)), expression_(Expression::parse(text_, location)) {}

std::string Quantity::label() const {
  constexpr std::string_view mean = "mean_over(";
  if (text_.starts_with(mean) && text_.ends_with(')')) {
    const std::string of = text_.substr(mean.size(), text_.size() - mean.size() - 1);
    if (expression_.names() == std::set{of}) return last_part(of) + ", mean";
  }
  if (const std::set<std::string> names = expression_.names();
      names.size() == 1 && text_ == fmt::format("as_trained({})", *names.begin()))
    return last_part(*names.begin()) + ", as trained";
  return is_name() ? last_part(text_) : without_underscores(text_);
}

Series Quantity::over_steps(const RunRecord& run) const {
  if (const auto own = run.series.find(text_); own != run.series.end()) return own->second;
  std::vector<const Series*> read;
  for (const std::string& name : expression_.names())
    if (const auto found = run.series.find(name); found != run.series.end()) read.push_back(&found->second);
  Series out;
  std::vector<std::int64_t> steps;
  if (!read.empty()) {
    steps = read[0]->steps;
  } else {
    for (const auto& [name, series] : run.series)
      if (series.steps.size() > steps.size()) steps = series.steps;
  }
  if (!expression_.has_aggregate() && !expression_.reads_single_steps()) {
    out.steps = steps;
    out.values.assign(steps.size(), expression_.number(run));
    return out;
  }
  for (const std::int64_t step : steps) {
    const auto there = [step](const Series* series) { return value_at(*series, step) != nullptr; };
    if (!std::ranges::all_of(read, there)) continue;
    out.steps.push_back(step);
    out.values.push_back(expression_.number(run, step));
  }
  return out;
}

double Quantity::of_run(const RunRecord& run) const {
  if (aggregate()) {
    const RunRecord* const one[] = {&run};
    return expression_.number(one);
  }
  return expression_.number(run);
}

double Quantity::of_runs(const Runs& runs) const {
  if (aggregate()) return expression_.number(runs);
  std::vector<double> values;
  for (const RunRecord* run : runs) values.push_back(expression_.number(*run));
  return median_of(std::move(values));
}

std::string Quantity::unknown_name(const Runs& runs) const {
  const std::set<std::string> metrics = metric_names(runs);
  if (metrics.count(text_)) return {};
  for (const std::string& name : expression_.names()) {
    if (metrics.count(name) || name == "step") continue;
    const auto has = [&](const RunRecord* run) { return run_has(*run, name); };
    if (std::none_of(runs.begin(), runs.end(), has)) return name;
  }
  return {};
}

std::string Quantity::missing_in(const Runs& runs) const {
  if (runs.empty()) return "no runs yet";
  const std::string name = unknown_name(runs);
  if (name.empty()) return {};
  const std::set<std::string> metrics = metric_names(runs);
  const std::vector<std::string> known(metrics.begin(), metrics.end());
  const std::string near = nearest_name(name, known);
  return fmt::format("none of these runs has the metric '{}'{}", name,
                     near.empty() ? "" : "; did you mean '" + near + "'?");
}

std::vector<Quantity> quantities(const std::vector<std::string>& texts, const Location& location) {
  std::vector<Quantity> made;
  for (const std::string& text : texts) made.emplace_back(text, location);
  return made;
}

std::vector<RunGroup> group_runs(const Runs& runs, const std::vector<std::string>& keys) {
  struct Sorted {
    std::vector<std::optional<Value>> values;
    std::vector<double> numbers;  // of the values; NaN for words, which stay in their order
    RunGroup group;
  };
  std::vector<Sorted> found;
  for (const RunRecord* run : runs) {
    std::vector<std::optional<Value>> values;
    for (const std::string& key : keys) values.push_back(value_of(*run, key));
    auto same = std::find_if(found.begin(), found.end(), [&](const Sorted& s) { return s.values == values; });
    if (same == found.end()) {
      std::string label;
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (!values[k]) continue;
        // A word says what it is by itself; a number needs its name.
        const bool word = values[k]->as<std::string>() != nullptr;
        label +=
            (label.empty() ? "" : ", ") + (word ? plain(*values[k]) : last_part(keys[k]) + " = " + plain(*values[k]));
      }
      std::vector<double> numbers;
      for (const auto& value : values) numbers.push_back(value ? number_of(*value) : nan_value);
      found.push_back({values, std::move(numbers), {label, {}}});
      same = found.end() - 1;
    }
    same->group.runs.push_back(run);
  }
  std::stable_sort(found.begin(), found.end(), [](const Sorted& a, const Sorted& b) {
    for (std::size_t k = 0; k < a.numbers.size(); ++k)
      if (a.numbers[k] < b.numbers[k] || b.numbers[k] < a.numbers[k]) return a.numbers[k] < b.numbers[k];
    return false;
  });
  std::vector<RunGroup> groups;
  for (Sorted& s : found) groups.push_back(std::move(s.group));
  return groups;
}

std::set<std::string> metric_names(const Runs& runs) {
  std::set<std::string> names;
  for (const RunRecord* run : runs)
    for (const auto& [name, series] : run->series) names.insert(name);
  return names;
}

}  // namespace fovea
