#include "fovea/view/plot/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fovea/base/error/names.h"

namespace fovea {

namespace {

// What tells runs of different interventions apart: what attention is held at, where that does, or all that is done.
template <class Note>
void note_interventions(std::span<const RunRecord> runs, Note note) {
  std::set<std::string> holds, all;
  for (const RunRecord& run : runs) {
    holds.insert(run.spec.setting("hold")->text());
    all.insert(run.spec.setting("intervene")->text());
  }
  if (all.size() > 1) note(all.size() > holds.size() ? "intervene" : "hold");
}

// The settings in which the runs differ, at most three; those of probes change nothing of a training.
std::vector<std::string> differences(std::span<const RunRecord> runs) {
  std::vector<std::string> keys;
  const std::map<std::string, std::string> first = flat_settings(runs.front().spec);
  const auto note = [&](const std::string& key) {
    if (keys.size() < 3 && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  };
  for (const RunRecord& run : runs) {
    if (run.experiment != runs.front().experiment) note("experiment");
    for (const auto& [key, text] : flat_settings(run.spec))
      if (const auto same = first.find(key); key != "interventions" && !key.starts_with("probe.") &&
                                             run.experiment == runs.front().experiment &&
                                             (same == first.end() || same->second != text))
        note(key);
  }
  note_interventions(runs, note);
  return keys;
}

// Metrics that live between 0 and 1 share a panel; others would hide each other.
bool all_shares(std::span<const RunRecord> runs, const std::vector<Quantity>& metrics) {
  for (const Quantity& metric : metrics)
    for (const RunRecord& run : runs)
      for (const double value : metric.over_steps(run).values)
        if (std::isfinite(value) && (value < -0.01 || value > 1.01)) return false;
  return true;
}

Value list_of(const std::vector<std::string>& texts) {
  ValueList list;
  for (const std::string& text : texts) list.push_back({text, {}});
  return {std::move(list), {}};
}

}  // namespace

Figure plot_metrics(std::span<const RunRecord> runs, const std::vector<std::string>& metrics) {
  return plot_metrics(runs, metrics, runs.empty() ? std::vector<std::string>() : differences(runs));
}

Figure plot_metrics(std::span<const RunRecord> runs, const std::vector<std::string>& metrics,
                    const std::vector<std::string>& by) {
  if (runs.empty()) throw wrong_input("there is no run to plot", Remedy::see_runs());
  if (metrics.empty()) throw wrong_input("there is no metric to plot", Remedy::name_metric());
  Runs all;
  for (const RunRecord& run : runs) all.push_back(&run);
  const std::vector<Quantity> wanted = quantities(metrics, {});
  for (const Quantity& metric : wanted) {
    const std::string unknown = metric.unknown_name(all);
    const std::set<std::string> names = metric_names(all);
    const auto no_number = [&metric](const RunRecord* run) { return std::isnan(metric.of_run(*run)); };
    if (unknown.empty() && metric.is_name() && !names.contains(metric.text()) && std::ranges::all_of(all, no_number))
      throw wrong_input(fmt::format("'{}' is not a number in any of the runs", metric.text()), Remedy::see_metrics());
    if (unknown.empty()) continue;
    throw wrong_input(fmt::format("none of these runs has the metric '{}'", unknown),
                      suggest_name(unknown, std::vector<std::string>(names.begin(), names.end())));
  }
  FigureSpec spec{"lines", {}, {}};
  // Rungs of a ladder are levels on which a loss may rest; each look measures them on other examples.
  std::vector<std::string> lines, losses, levels;
  for (const Quantity& metric : wanted)
    if (metric.is_name() && metric.text().find("loss") != std::string::npos) losses.push_back(metric.text());
  for (const std::string& metric : metrics)
    if (metric.starts_with("rung_") && !losses.empty()) levels.push_back(fmt::format("mean_over({})", metric));
    else lines.push_back(metric);
  spec.settings["y"] = list_of(lines);
  if (!levels.empty()) spec.settings["rules"] = list_of(levels);
  if (!levels.empty()) spec.settings["rules_at"] = list_of(losses);
  spec.settings["by"] = list_of(by);
  if (lines.size() > 1 && !all_shares(runs, quantities(lines, {}))) spec.settings["panels"] = list_of({"y"});
  const auto same = [&runs](const RunRecord& run) { return run.experiment == runs.front().experiment; };
  if (std::all_of(runs.begin(), runs.end(), same)) spec.settings["title"] = Value{runs.front().experiment, {}};
  return make_figure(spec, runs, {});
}

}  // namespace fovea
