#include "apps/cli/run_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "apps/cli/progress.h"
#include "fovea/view/terminal.h"

namespace fovea::cli {

namespace {

using Column = TextTable::Column;

std::string state_text(const RunRecord& run) {
  const std::string text = state_name(run.state);
  return run.error.empty() ? text : text + ": " + run.error;
}

Tone state_tone(RunState state) {
  switch (state) {
    case RunState::done:
      return Tone::plain;
    case RunState::failed:
      return Tone::bad;
    case RunState::running:
    case RunState::stopped:
      return Tone::faint;
  }
  return Tone::plain;
}

// Settings in which the runs differ, but for the seed: what a reader needs to tell them apart.
std::vector<std::string> differing_settings(const std::vector<RunRecord>& runs) {
  std::map<std::string, std::vector<std::string>> values;
  const auto gather = [&](const std::string& prefix, const ValueTable& table) {
    for (const auto& [key, value] : table) {
      auto& seen = values[prefix + key];
      const std::string text = value.text();
      if (std::find(seen.begin(), seen.end(), text) == seen.end()) seen.push_back(text);
    }
  };
  for (const RunRecord& run : runs) {
    gather("task.", run.spec.task);
    gather("model.", run.spec.model);
    gather("train.", run.spec.train);
  }
  std::vector<std::string> keys;
  for (const auto& [key, seen] : values)
    if (seen.size() > 1 && keys.size() < 4) keys.push_back(key);
  return keys;
}

std::vector<std::string> commonest_metrics(const std::vector<RunRecord>& runs) {
  std::map<std::string, int> counts;
  for (const RunRecord& run : runs)
    for (const auto& [name, series] : run.series) ++counts[name];
  std::vector<std::string> names;
  for (const auto& [name, count] : counts) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return counts[a] > counts[b]; });
  if (names.size() > 4) names.resize(4);
  return names;
}

}  // namespace

std::string number_text(double x) {
  if (std::isnan(x)) return "–";
  if (std::isinf(x)) return x > 0 ? "never" : "-infinite";
  return fmt::format("{:.4g}", x);
}

void print_run(const RunRecord& run) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  fmt::print("{}  seed {}  {} steps in {}  run {}  {}\n", toned(run.experiment, Tone::strong, terminal), run.spec.seed,
             run.steps, duration_text(run.seconds), run.id, toned(state_text(run), state_tone(run.state), terminal));
  TextTable table({{"metric"}, {"last", TextTable::Align::right}, {"course"}});
  for (const auto& [name, series] : run.series)
    if (!series.values.empty())
      table.row(
          {name, number_text(series.values.back()), series.values.size() > 1 ? sparkline(series.values, 32) : ""});
  fmt::print("{}", table.text(terminal));
}

void print_runs(const std::vector<RunRecord>& runs, const std::vector<std::string>& wanted) {
  const std::vector<std::string> settings = differing_settings(runs);
  const std::vector<std::string> metrics = wanted.empty() ? commonest_metrics(runs) : wanted;
  std::vector<Column> columns{{"run", TextTable::Align::right}, {"experiment"}, {"seed", TextTable::Align::right}};
  for (const std::string& key : settings) columns.push_back({key});
  columns.push_back({"steps", TextTable::Align::right});
  for (const std::string& name : metrics) columns.push_back({name, TextTable::Align::right});
  columns.push_back({"state", TextTable::Align::left, true});
  TextTable table(columns);
  for (const RunRecord& run : runs) {
    std::vector<TextTable::Cell> cells{std::to_string(run.id), run.experiment, std::to_string(run.spec.seed)};
    for (const std::string& key : settings) {
      const std::optional<Value> value = run.spec.setting(key);
      const std::string* word = value ? value->as<std::string>() : nullptr;
      cells.push_back(word ? *word : value ? value->text() : "");
    }
    cells.push_back(std::to_string(run.steps));
    const auto last = run.metrics();
    for (const std::string& name : metrics) {
      const auto found = last.find(name);
      cells.push_back(found == last.end() ? std::string() : number_text(found->second));
    }
    cells.push_back({state_text(run), state_tone(run.state)});
    table.row(std::move(cells));
  }
  fmt::print("{}", table.text(Terminal::of(STDOUT_FILENO)));
}

}  // namespace fovea::cli
