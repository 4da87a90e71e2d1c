#include "fovea/lab/reproduce.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace fovea {

StagedRuns sweep_stages(Store& store, const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                        const std::vector<Axis>& axes, const SweepOptions& options) {
  const std::size_t stages = experiment.stages_of(form).size() + 1;
  return run_stages(experiment, form, overrides, axes, [&](const std::vector<RunSpec>& specs, std::size_t stage) {
    SweepOptions of_stage = options;
    if (stages > 1 && options.progress)
      of_stage.progress = [&](SweepProgress progress) {
        progress.stage = fmt::format("stage {} of {}", stage, stages);
        options.progress(progress);
      };
    return sweep(store, experiment.name, specs, of_stage);
  });
}

Reproduction reproduce(Store& store, const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                       const SweepOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Reproduction result{experiment, form, {}, {}, 0};
  StagedRuns staged = sweep_stages(store, experiment, form, overrides, {}, options);
  result.runs = std::move(staged.runs);
  if (staged.whole) {
    result.claims = check_claims(experiment, form, result.runs, staged.notes);
    if (overrides.empty()) store.keep_claims(result.claims);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::optional<Reproduction> reproduced_before(const Store& store, const std::string& name) {
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

}  // namespace fovea
