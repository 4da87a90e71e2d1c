#include "apps/cli/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fovea/base/duration.h"
#include "fovea/io/utf8.h"
#include "fovea/view/terminal/default_metrics.h"
#include "fovea/view/terminal/runs_table.h"

namespace fovea::cli {

void print_run(const RunRecord& run) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  fmt::print("{}  seed {}  {} steps in {}  run {}  {}\n", toned(run.experiment, Tone::strong, terminal), run.spec.seed,
             run.steps, duration_text(run.seconds), run.id,
             toned(state_name(run.state), state_tone(run.state), terminal));
  if (!run.tags.empty()) fmt::print("tags: {}\n", fmt::join(run.tags, ", "));
  if (!run.note.empty()) fmt::print("note: {}\n", clean_utf8(run.note));
  TextTable table({{"metric"}, {"last", TextTable::Align::right}, {"course"}});
  std::vector<std::string> names = default_metrics({&run});
  for (const auto& [name, series] : run.series)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<std::string> rows = as_trained(default_metrics({&run}), {&run});
  std::erase_if(rows, [&run](const std::string& text) { return run.series.contains(text); });
  const bool held = !rows.empty();
  for (const std::string& text : rows) {
    const std::vector<double> values = Quantity(text, {}).over_steps(run).values;
    if (!values.empty())
      table.row({text, metric_text(text, values.back()), values.size() > 1 ? sparkline(values, 32) : ""});
  }
  for (const std::string& name : names) {
    const std::vector<double>& values = run.series.at(name).values;
    if (!values.empty())
      table.row({name, metric_text(name, values.back()), values.size() > 1 ? sparkline(values, 32) : ""});
  }
  fmt::print("{}", table.text(terminal));
  if (held)
    fmt::print(
        "{}\n",
        wrapped("as_trained(NAME) is of the model as it trains: NAME_held at a step with an intervention on heads, "
                "NAME at every other step. NAME is always without it.",
                terminal.width));
}

void print_runs(const std::vector<RunRecord>& runs, const std::vector<std::string>& wanted) {
  Runs all;
  for (const RunRecord& run : runs) all.push_back(&run);
  fmt::print("{}", runs_table(all, wanted, Terminal::of(STDOUT_FILENO)));
}

}  // namespace fovea::cli
