#include "fovea/lab/analysis/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "fovea/base/duration.h"
#include "fovea/lab/analysis/check_names.h"
#include "fovea/lab/experiment/baselines.h"

namespace fovea {

namespace {

StagedRuns sweep_from(std::vector<ResolvedRun> first, Store& store, const Experiment& experiment, Preset preset,
                      const std::vector<Override>& overrides, const std::vector<Axis>& axes,
                      const SweepOptions& options) {
  const std::size_t stages = experiment.stages_of(preset).size() + 1;
  const auto make = [&](std::vector<ResolvedRun> runs, std::size_t stage) {
    SweepOptions of_stage = options;
    if (stages > 1 && options.progress)
      of_stage.progress = [&](SweepProgress progress) {
        progress.stage = fmt::format("stage {} of {}", stage, stages);
        options.progress(progress);
      };
    return sweep(store, experiment.name, std::move(runs), of_stage);
  };
  return run_stages(experiment, preset, overrides, axes, std::move(first), make);
}

bool all_done(const std::vector<RunRecord>& runs) {
  return std::ranges::all_of(runs, [](const RunRecord& run) { return run.state == RunState::done; });
}

// Whether these runs can be measured against each other shows in their specs, before any is trained.
void check_measurable(const Experiment& experiment, const std::vector<ResolvedRun>& own,
                      const std::vector<ResolvedRun>& baselines) {
  if (baselines.empty()) return;
  std::vector<RunRecord> runs;
  for (const auto* const planned : {&own, &baselines})
    for (const ResolvedRun& run : *planned) {
      runs.emplace_back().spec = run.spec();
      runs.back().id = std::ssize(runs);
    }
  try {
    sort_runs(std::move(runs));
  } catch (const Error& error) {
    throw wrong_input(message("the runs of '{}' cannot be measured (its own runs come first, then the runs of {}): {}",
                              experiment.name, Message::Tables{"against"}, error.problem()),
                      error.remedy(), experiment.baselines.front().location);
  }
}

// What the runs come to beside their baselines, which are in `reproduction.baselines` as far as they were reached.
// Those that keep the experiment's model join the runs: claims and figures then see them as a condition beside the
// others.
void measure_reproduced(const Store& store, Reproduction& reproduction) {
  const std::vector<Baseline>& baselines = reproduction.experiment.baselines;
  std::vector<RunRecord>& own = reproduction.runs;
  std::vector<RunRecord>& beside = reproduction.baselines;
  if (baselines.empty() || beside.size() < baselines.size()) return;
  if (all_done(own) && all_done(beside)) {
    std::vector<RunRecord> runs = own;
    runs.insert(runs.end(), beside.begin(), beside.end());
    const MeasurementRuns sorted = sort_runs(std::move(runs));
    const FetchArrays arrays = store.fetch_arrays();
    reproduction.measures = measure(sorted, arrays);
    constexpr int some = 3;
    for (int example = 1; example <= std::min(some, reproduction.measures->examples); ++example)
      reproduction.examples.push_back(
          view_example(sorted.reference, arrays, vocabulary_cache(store), {example, "attention", {}, {}}));
  }
  for (std::size_t i = 0; i < baselines.size(); ++i)
    if (baselines[i].keeps_model()) own.push_back(beside[i]);
}

// The runs that others are measured against, and whether all of them were reached.
bool sweep_baselines(Store& store, std::vector<ResolvedRun> baselines, const SweepOptions& options,
                     Reproduction& result) {
  if (baselines.empty()) return true;
  const std::size_t count = baselines.size();
  SweepOptions beside = options;
  if (options.progress)
    beside.progress = [&options](SweepProgress progress) {
      progress.stage = "their baselines";
      options.progress(progress);
    };
  result.baselines = sweep(store, result.experiment.name, std::move(baselines), beside);
  return result.baselines.size() == count &&
         std::ranges::none_of(result.baselines, [](const RunRecord& run) { return run.state == RunState::stopped; });
}

}  // namespace

StagedRuns sweep_stages(Store& store, const Experiment& experiment, Preset preset,
                        const std::vector<Override>& overrides, const std::vector<Axis>& axes,
                        const SweepOptions& options) {
  return sweep_from(resolve_sweep(experiment, preset, overrides, axes), store, experiment, preset, overrides, axes,
                    options);
}

Reproduction reproduce(Store& store, const Experiment& experiment, Preset preset,
                       const std::vector<Override>& overrides, const SweepOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Reproduction result{experiment, preset, {}, {}, 0};
  std::vector<ResolvedRun> baselines = resolve_baselines(experiment, preset, overrides);  // a mistake shows now
  std::vector<ResolvedRun> own = resolve_sweep(experiment, preset, overrides);
  check_measurable(experiment, own, baselines);
  if (!experiment.source.empty() && experiment.stages.empty()) {  // shipped ones are tested, and stages name more
    std::vector<ResolvedRun*> seen;
    for (ResolvedRun& run : own) seen.push_back(&run);
    for (std::size_t i = 0; i < baselines.size(); ++i)
      if (experiment.baselines[i].keeps_model()) seen.push_back(&baselines[i]);
    refuse_misspelt_names(experiment, preset, seen);
  }
  StagedRuns staged = sweep_from(std::move(own), store, experiment, preset, overrides, {}, options);
  result.runs = std::move(staged.runs);
  if (staged.whole && sweep_baselines(store, std::move(baselines), options, result)) {
    measure_reproduced(store, result);
    result.claims = check_claims(experiment, preset, result.runs, staged.notes);
    if (result.measures)
      std::ranges::move(claims_of(*result.measures, experiment, preset), std::back_inserter(result.claims));
    if (overrides.empty()) store.keep_claims(result.claims);
  }
  result.seconds = seconds_since(start);
  return result;
}

std::optional<Reproduction> reproduced_before(const Store& store, const Experiment& experiment) {
  std::vector<ClaimResult> claims = store.claims(experiment.name);
  std::erase_if(claims, [&experiment](const ClaimResult& claim) { return claim.source != experiment.source; });
  if (claims.empty()) return std::nullopt;
  add_texts(claims, experiment);
  Reproduction found{experiment, preset_of(claims.back().preset).value_or(Preset::quick), {}, {}, 0};
  for (const ClaimResult& claim : claims)
    if (claim.preset == claims.back().preset) found.claims.push_back(claim);
  const auto kept = [&store](std::vector<ResolvedRun> planned, std::size_t) {
    std::vector<RunRecord> runs;
    for (const ResolvedRun& one : planned)
      if (std::optional<RunRecord> run = store.find_done(one.spec().hash())) runs.push_back(std::move(*run));
    keep_newest_arithmetic(runs);
    return runs;
  };
  found.runs =
      run_stages(found.experiment, found.preset, {}, {}, resolve_sweep(found.experiment, found.preset, {}), kept).runs;
  found.baselines = kept(resolve_baselines(found.experiment, found.preset, {}), 1);
  measure_reproduced(store, found);
  for (const RunRecord& run : found.runs) found.seconds += run.seconds;
  return found;
}

std::vector<std::string> reproduced_files(const Store& store) {
  std::set<std::string> files;
  for (const ClaimResult& claim : store.claims())
    if (!claim.source.empty()) files.insert(claim.source);
  return {files.begin(), files.end()};
}

}  // namespace fovea
