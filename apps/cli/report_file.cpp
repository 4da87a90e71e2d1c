#include "apps/cli/report_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "fovea/base/file.h"
#include "fovea/base/version.h"
#include "fovea/lab/machine.h"
#include "fovea/view/plot.h"
#include "fovea/view/report.h"

namespace fovea::cli {

namespace {

// The runs of the form last reproduced, if all of them are in the store.
std::optional<Reproduction> from_store(const Store& store, const std::string& name) {
  std::vector<ClaimResult> claims = store.claims(name);
  std::erase_if(claims, [](const ClaimResult& claim) { return !claim.source.empty(); });
  if (claims.empty()) return std::nullopt;
  Reproduction found{find_experiment(name), claims.back().form == "full" ? Form::full : Form::quick, {}, {}, 0};
  for (const ClaimResult& claim : claims)
    if (claim.form == claims.back().form) found.claims.push_back(claim);
  const auto kept = [&store](const std::vector<RunSpec>& specs, std::size_t) {
    std::vector<RunRecord> runs;
    for (const RunSpec& spec : specs)
      if (std::optional<RunRecord> run = store.find_done(spec.hash())) runs.push_back(std::move(*run));
    return runs;
  };
  found.runs = run_stages(found.experiment, found.form, {}, {}, kept).runs;
  for (const RunRecord& run : found.runs) found.seconds += run.seconds;
  return found;
}

FetchArrays arrays_of(const Store& store) {
  return [&store](std::int64_t run, const std::string& name) { return store.arrays(run, name); };
}

}  // namespace

std::vector<Reproduction> reproduced_before(const Store& store) {
  std::vector<Reproduction> found;
  for (const std::string& name : experiment_names())
    if (std::optional<Reproduction> reproduction = from_store(store, name)) found.push_back(std::move(*reproduction));
  return found;
}

void write_report(const Store& store, std::span<const Reproduction> reproductions, const std::string& file) {
  ReportFacts facts;
  facts.made = utc_now();
  facts.version = version();
  facts.machine = machine_line();
  write_whole(file, report_html(reproductions, arrays_of(store), facts));
}

void check_figures(const Experiment& experiment) {
  for (const FigureSpec& spec : experiment.figures) make_figure(spec, {}, {});
}

std::size_t write_figures(const Store& store, std::span<const Reproduction> reproductions, const std::string& folder,
                          const std::string& ending) {
  std::size_t written = 0;
  for (const Reproduction& reproduction : reproductions) {
    int number = 0;
    for (const FigureSpec& spec : reproduction.experiment.figures) {
      const std::string name = fmt::format("{}-{}.{}", reproduction.experiment.name, ++number, ending);
      save_figure(make_figure(spec, reproduction.runs, arrays_of(store)), std::filesystem::path(folder) / name);
      ++written;
    }
  }
  return written;
}

}  // namespace fovea::cli
