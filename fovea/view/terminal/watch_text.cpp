#include "fovea/view/terminal/watch_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/duration.h"
#include "fovea/view/plot/run_data.h"
#include "fovea/view/terminal/attention_text.h"
#include "fovea/view/terminal/default_metrics.h"
#include "fovea/view/terminal/runs_table.h"

namespace fovea {

namespace {

constexpr int spark_width = 40, name_width = 20;
constexpr std::size_t least_map_rows = 4;

// A line that wraps would push the others down.
std::string fitted(const std::string& line, const Terminal& terminal) {
  return terminal.width > 0 ? shortened(line, terminal.width) : line;
}

std::string title_of(const LiveRun& live, const Terminal& terminal) {
  const RunRecord& run = live.record;
  const std::string name = run.experiment.empty() ? "a run" : run.experiment;
  if (!live.seen)
    return toned(fitted(fmt::format("{}  just begun  {}", name, live.holder), terminal), Tone::faint, terminal);
  const std::string id = run.id > 0 ? fmt::format("  run {}", run.id) : "";
  return toned(fitted(fmt::format("{}  seed {}  step {} of {}  {}{}", name, run.spec.seed, run.steps, live.steps,
                                  duration_text(run.seconds), id),
                      terminal),
               Tone::strong, terminal);
}

// The loss and the accuracy, by the names they have here.
std::vector<std::string> two_metrics(const RunRecord& run) {
  std::vector<std::string> names;
  for (const char* loss : {"loss", "train_loss"})
    if (names.empty() && run.series.contains(loss)) names.emplace_back(loss);
  if (run.series.contains("accuracy")) {
    names.emplace_back("accuracy");
    return names;
  }
  for (const std::string& name : default_metrics({&run})) {
    if (names.size() == 2) break;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> spark_lines(const RunRecord& run, const Terminal& terminal) {
  std::vector<std::string> lines;
  const int room = terminal.width > 0 ? terminal.width - name_width - 14 : spark_width;
  for (const std::string& name : two_metrics(run)) {
    const std::vector<double>& values = run.series.at(name).values;
    if (values.empty()) continue;
    lines.push_back(
        fitted(fmt::format("  {:<{}}{:>10}  {}", shortened(name, name_width), name_width,
                           metric_text(name, values.back()), sparkline(values, std::clamp(room, 8, spark_width))),
               terminal));
  }
  return lines;
}

std::vector<std::string> map_lines(const RunRecord& run, std::size_t room, const Terminal& terminal) {
  if (room < least_map_rows) return {};
  std::vector<std::string> lines = attention_lines(run.spec, run.arrays, static_cast<int>(room) - 1, terminal);
  if (!lines.empty()) lines.front() = toned(fitted("  " + lines.front(), terminal), Tone::faint, terminal);
  return lines;
}

}  // namespace

std::vector<std::string> watch_lines(std::span<const LiveRun> runs, int height, const Terminal& terminal) {
  const std::size_t most = height > 0 ? static_cast<std::size_t>(height) : 10'000;
  std::vector<std::string> lines{
      fmt::format("{} {} in training", runs.size(), runs.size() == 1 ? "run is" : "runs are")};
  bool map_shown = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::string> own{"", title_of(runs[i], terminal)};
    for (std::string& line : spark_lines(runs[i].record, terminal)) own.push_back(std::move(line));
    if (lines.size() + own.size() + 1 > most && i > 0) {
      lines.push_back(fmt::format("and {} more", runs.size() - i));
      break;
    }
    lines.insert(lines.end(), own.begin(), own.end());
    if (map_shown) continue;
    // The others get room for a title and two sparklines each, as far as there is any.
    const std::size_t others = 4 * std::min<std::size_t>(runs.size() - i - 1, 3);
    const std::size_t room = most > lines.size() + others ? most - lines.size() - others : 0;
    const std::vector<std::string> map = map_lines(runs[i].record, room, terminal);
    map_shown = !map.empty();
    lines.insert(lines.end(), map.begin(), map.end());
  }
  if (lines.size() > most) lines.resize(most);
  return lines;
}

}  // namespace fovea
