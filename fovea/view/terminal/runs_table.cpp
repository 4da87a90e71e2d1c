#include "fovea/view/terminal/runs_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "fovea/view/terminal/default_metrics.h"

namespace fovea {

namespace {

using Align = TextTable::Align;

constexpr std::size_t most_settings = 4, most_metrics = 6;
constexpr const char* always_shown[] = {"id", "experiment", "seed", "steps", "state"};

// A probe of a program by its function alone: "gap" for "python mine.gap 9f86d081884c7d65".
std::string probe_text(const std::string& name) {
  const std::size_t begin = name.find(' '), end = name.rfind(' ');
  if (begin == end) return name;
  const std::string place = name.substr(begin + 1, end - begin - 1);
  return place.substr(place.find_last_of(".:") + 1);
}

std::string probes_text(const ValueList& names) {
  std::vector<std::string> texts;
  for (const Value& name : names) {
    const auto* word = name.as<std::string>();
    texts.push_back(word ? probe_text(*word) : name.text());
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Of these, infinity says that the step or the time is never reached.
bool is_step_or_time(std::string_view metric) {
  return std::ranges::any_of(std::array{"step_of", "steps_to_", "time_to_"},
                             [metric](const char* part) { return metric.find(part) != metric.npos; });
}

// One thing to show of each run: by its name, else as an expression.
class Shown {
 public:
  Shown(const std::string& text, const Runs& runs) : text_(text) {
    if (std::ranges::none_of(runs, [&text](const RunRecord* run) { return run_has(*run, text); }))
      quantity_.emplace(text, Location::argument("show"));
  }

  std::string of(const RunRecord& run) const {
    if (const auto metric = run.series.find(text_); metric != run.series.end())
      return metric->second.values.empty() ? "" : metric_text(text_, metric->second.values.back());
    if (const auto setting = run.spec.setting(text_)) {
      if (const auto* names = setting->as<ValueList>(); names && text_ == "probe.names") return probes_text(*names);
      const auto* word = setting->as<std::string>();
      return word ? *word : setting->text();
    }
    if (text_ == "experiment") return run.experiment;
    if (text_ == "state") return state_text(run);
    if (text_ == "started") return run.started;
    if (text_ == "tags") return fmt::format("{}", fmt::join(run.tags, ", "));
    if (text_ == "note") return run.note;
    if (text_ == "id") return std::to_string(run.id);
    if (text_ == "steps") return std::to_string(run.steps);
    const double x = text_ == "seconds" ? run.seconds : quantity_ ? quantity_->of_run(run) : NAN;
    if (std::isnan(x)) return "";
    return metric_text(text_, x);
  }

 private:
  std::string text_;
  std::optional<Quantity> quantity_;
};

Align align_of(const std::string& text, const Runs& runs) {
  const auto is_word = [&text](const RunRecord* run) {
    const auto setting = run->spec.setting(text);
    return setting && !setting->as<std::int64_t>() && !setting->as<double>();
  };
  return std::ranges::any_of(runs, is_word) ? Align::left : Align::right;
}

struct Plan {
  std::vector<TextTable::Column> columns;
  std::vector<Shown> shown;
};

Plan plan_of(const Runs& runs, const std::vector<std::string>& wanted) {
  Plan plan;
  const auto add = [&](const std::string& text, int rank) {
    plan.columns.push_back({text, align_of(text, runs), false, rank});
    plan.shown.emplace_back(text, runs);
  };
  if (!wanted.empty()) {
    for (const std::string& text : wanted)
      if (std::ranges::find(always_shown, text) == std::end(always_shown)) add(text, 0);
    return plan;
  }
  // The first metric outlasts every setting, the first setting the second metric, and so on.
  int rank = 2;
  for (const std::string& key : differing_settings(runs)) {
    if (plan.columns.size() == most_settings) break;
    add(key, rank += 2);
  }
  rank = 1;
  std::vector<std::string> metrics = as_trained(default_metrics(runs), runs);
  if (metrics.size() > most_metrics) metrics.resize(most_metrics);
  for (const std::string& name : metrics) add(name, rank += 2);
  return plan;
}

}  // namespace

std::string metric_text(std::string_view metric, double x) {
  if (std::isnan(x)) return "–";
  if (std::isfinite(x)) return fmt::format("{:.4g}", x);
  return x < 0 ? "-infinite" : is_step_or_time(metric) ? "never" : "infinite";
}

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

std::string runs_table(const Runs& runs, const std::vector<std::string>& wanted, const Terminal& terminal) {
  constexpr int first_to_go = 100;
  const Plan plan = plan_of(runs, wanted);
  std::vector<TextTable::Column> columns{{"run", Align::right}, {"experiment"}, {"seed", Align::right}};
  columns.insert(columns.end(), plan.columns.begin(), plan.columns.end());
  const bool steps_wanted = std::ranges::find(wanted, "steps") != wanted.end();
  columns.push_back({"steps", Align::right, false, steps_wanted ? 0 : first_to_go});
  columns.push_back({"state", Align::left, true});
  const bool tagged = std::ranges::find(wanted, "tags") == wanted.end() &&
                      std::ranges::any_of(runs, [](const RunRecord* run) { return !run->tags.empty(); });
  if (tagged) columns.push_back({"tags", Align::left, true});
  TextTable table(columns);
  for (const RunRecord* run : runs) {
    std::vector<TextTable::Cell> cells{std::to_string(run->id), run->experiment, std::to_string(run->spec.seed)};
    for (const Shown& shown : plan.shown) cells.emplace_back(shown.of(*run));
    cells.emplace_back(std::to_string(run->steps));
    cells.emplace_back(state_text(*run), state_tone(run->state));
    if (tagged) cells.emplace_back(fmt::format("{}", fmt::join(run->tags, ", ")));
    table.row(std::move(cells));
  }
  std::vector<std::string> left_out;
  std::string text = table.text(terminal, &left_out);
  std::erase(left_out, "steps");
  if (!left_out.empty()) {
    std::ranges::reverse(left_out);
    const std::string note =
        fmt::format("No room for {}. Widen the window, or choose fewer columns.", fmt::join(left_out, ", "));
    text += toned(wrapped(note, terminal.width), Tone::faint, terminal) + "\n";
  }
  return text;
}

}  // namespace fovea
