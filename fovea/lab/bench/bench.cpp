#include "fovea/lab/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <map>

#include "fovea/base/duration.h"
#include "fovea/base/error/names.h"
#include "fovea/base/statistics.h"
#include "fovea/io/shipped.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/experiment/baselines.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;

bool stopped(const BenchWatch& watch) { return watch.stop && watch.stop->load(std::memory_order_relaxed); }

// Those experiments that are shipped for their speed alone.
Experiment parse_system(const ShippedExperiment& shipped) {
  const std::string name(shipped.name), words = fmt::format("system '{}'", name);
  const auto kind = Location::Kind::spec;
  Experiment system = experiment_from_table(parse_table(std::string(shipped.toml), words, kind), {words, 0, 0, kind});
  system.name = name;
  return system;
}

constexpr std::int64_t without_end = std::int64_t{1} << 40;

// The same run with no end, no probes and no early stop.
RunSpec endless(RunSpec spec) {
  spec.train["steps"].data = without_end;
  spec.train["stop_when"].data = std::string();
  ProbeSettings none;
  none.every = without_end;
  none.examples = 1;
  none.keep = 0;
  Fields fields;
  none.settings(fields);
  spec.probe = fields.write();
  return spec;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// How often probes look at a whole run.
double evaluations_of(const RunSpec& spec, std::int64_t steps) {
  const ProbeSettings probe = read_probe(spec.probe).settings;
  std::int64_t evaluations = 1 + (steps + probe.every - 1) / probe.every;
  for (const int extra : probe.at) evaluations += extra < steps && extra % probe.every != 0;
  return static_cast<double>(evaluations);
}

struct Sample {
  double seconds, processor;
  std::int64_t steps;
};

// Rates between samples, over windows of equal length as far as whole samples allow.
StepRate rate_of(const std::vector<Sample>& samples) {
  constexpr double windows = 10;
  StepRate rate;
  if (samples.size() < 2) return rate;
  rate.steps = samples.back().steps - samples.front().steps;
  rate.seconds = samples.back().seconds - samples.front().seconds;
  rate.processor_seconds = samples.back().processor - samples.front().processor;
  std::vector<double> rates;
  for (std::size_t from = 0, to = 1; to < samples.size(); ++to) {
    const double passed = samples[to].seconds - samples[from].seconds;
    if (passed < rate.seconds / windows && to + 1 < samples.size()) continue;
    rates.push_back(static_cast<double>(samples[to].steps - samples[from].steps) / passed);
    from = to;
  }
  const auto [slowest, fastest] = std::ranges::minmax_element(rates);
  rate.slowest = *slowest;
  rate.fastest = *fastest;
  rate.median = median_of(rates);
  return rate;
}

}  // namespace

std::vector<std::string> bench_system_names() {
  std::vector<std::pair<int, std::string>> numbered;
  for (const ShippedExperiment& shipped : shipped_systems())
    numbered.emplace_back(parse_system(shipped).order, shipped.name);
  return names_in_order(std::move(numbered));
}

Experiment find_bench_system(const std::string& name_or_path) {
  for (const ShippedExperiment& shipped : shipped_systems())
    if (shipped.name == name_or_path) return parse_system(shipped);
  std::vector<std::string> known = bench_system_names(), others = experiment_names();
  const bool path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml");
  if (path || std::find(others.begin(), others.end(), name_or_path) != others.end())
    return find_experiment(name_or_path);
  const std::string systems = fmt::format("{}", fmt::join(known, ", "));
  known.insert(known.end(), others.begin(), others.end());
  throw wrong_input("there is no system and no experiment '" + name_or_path + "'",
                    suggest_name(name_or_path, known, "name an experiment, or one of the systems: " + systems));
}

StepRate time_training(const RunSpec& spec, double seconds, const BenchWatch& watch) {
  const RunSpec run = endless(spec);
  std::atomic<bool> enough{false};
  std::vector<Sample> samples;
  const Clock::time_point start = Clock::now();
  TrainHooks hooks;
  hooks.stop = &enough;
  hooks.progress = [&](std::int64_t step, std::int64_t) {
    samples.push_back({seconds_since(start), processor_seconds(), step});
    if (samples.size() == 2 && samples[0].steps == 1) samples.erase(samples.begin());  // the first step makes memory
    const double passed = samples.back().seconds - samples.front().seconds;
    if (watch.progress) watch.progress(std::min(1.0, passed / seconds));
    if ((passed >= seconds && samples.size() > 2) || stopped(watch)) enough = true;
  };
  const RunRecord record = train(run, hooks);
  StepRate rate = rate_of(samples);
  rate.failure = record.error;
  return rate;
}

EvaluationShare evaluation_share(const RunSpec& spec, double seconds, const BenchWatch& watch) {
  const Clock::time_point start = Clock::now();
  const std::int64_t steps = *spec.train.at("steps").as<std::int64_t>();
  const std::int64_t period = std::min(steps, *spec.probe.at("every").as<std::int64_t>());
  std::atomic<bool> enough{false};
  TimeSpent spent;
  TrainHooks hooks;
  hooks.spent = &spent;
  hooks.stop = &enough;
  hooks.progress = [&](std::int64_t step, std::int64_t) {
    const double passed = seconds_since(start);
    if (watch.progress) watch.progress(std::min(1.0, passed / seconds));
    if ((passed >= seconds && step > period) || stopped(watch)) enough = true;
  };
  const RunRecord seen = train(spec, hooks);
  if (seen.steps == 0) return {};
  const auto evaluated = seen.series.find("train_loss");
  const double evaluations_seen =
      1 + (evaluated == seen.series.end() ? 0 : static_cast<double>(evaluated->second.steps.size()));
  const double evaluations = evaluations_of(spec, steps) / evaluations_seen;
  const double updates = spent.updates * static_cast<double>(steps) / static_cast<double>(seen.steps);
  const double all = updates + evaluations * (spent.probes + spent.recorder);
  return {evaluations * spent.probes / all, evaluations * spent.recorder / all};
}

namespace {

// Of a run as it is, if that is no longer than `most`.
std::optional<double> seconds_of_whole(const RunSpec& spec, double most) {
  const Clock::time_point start = Clock::now();
  std::atomic<bool> enough{false};
  TrainHooks hooks;
  hooks.stop = &enough;
  hooks.progress = [&](std::int64_t, std::int64_t) { enough = seconds_since(start) > most; };
  if (train(spec, hooks).state != RunState::done) return {};
  return seconds_since(start);
}

// One step, and a look before and after it.
double seconds_of_one_step(RunSpec spec) {
  spec.train["steps"].data = std::int64_t{1};
  const Clock::time_point start = Clock::now();
  train(spec);
  return seconds_since(start);
}

std::int64_t steps_of(const RunSpec& spec) { return *spec.train.at("steps").as<std::int64_t>(); }

std::string text_of(const ValueTable& table) { return Value{table, {}}.text(); }

}  // namespace

const Projection::Known& Projection::known(const RunSpec& spec) {
  RunSpec unseeded = spec;
  unseeded.seed = 0;
  const auto [found, fresh] = known_.try_emplace(unseeded.text());
  if (!fresh) return found->second;
  const Clock::time_point began = Clock::now();
  if (text_of(unseeded.task) != task_text_) {
    task_ = make_task(unseeded);
    Batch batch;
    task_->batch(Split::train, 0, 1, batch);
    task_text_ = text_of(unseeded.task);
    task_start_ = seconds_since(began);
  }
  const std::optional<StepCost> cost = step_cost(unseeded, *task_);
  found->second = {task_start_, cost ? std::max(1.0, cost->operations) : 1.0};
  return found->second;
}

double Projection::step_seconds(const RunSpec& spec, double seconds, const BenchWatch& watch) {
  const std::string parts = spec.task.at("name").text() + spec.model.at("name").text();
  const auto found = paces_.find(parts);
  if (found != paces_.end()) return found->second * known(spec).operations;
  const double step = 1 / time_training(spec, seconds, watch).median;
  if (!stopped(watch)) paces_[parts] = step / known(spec).operations;
  return step;
}

ExperimentTime Projection::of(const Experiment& experiment, Preset preset, double seconds, const BenchWatch& watch) {
  ExperimentTime time;
  time.name = experiment.name;
  try {
    std::vector<RunSpec> runs;
    for (const ResolvedRun& run : resolve_sweep(experiment, preset, {})) runs.push_back(run.spec());
    for (const ResolvedRun& run : resolve_baselines(experiment, preset, {})) runs.push_back(run.spec());
    const RunSpec& most = *std::max_element(runs.begin(), runs.end(), [this](const RunSpec& a, const RunSpec& b) {
      return known(a).operations < known(b).operations;
    });
    for (const RunSpec& run : runs) time.steps += steps_of(run);
    time.runs = static_cast<std::int64_t>(runs.size());
    const bool short_so_far = !paces_.contains(most.task.at("name").text() + most.model.at("name").text());
    if (const auto whole = short_so_far ? seconds_of_whole(most, seconds) : std::nullopt) {
      for (const RunSpec& run : runs) time.seconds += *whole * known(run).operations / known(most).operations;
      return time;
    }
    const double step = step_seconds(most, seconds, watch);
    const double start = known(most).start;
    const double evaluation = std::max(0.0, (seconds_of_one_step(most) - start - step) / 2);
    for (const RunSpec& run : runs) {
      const std::int64_t steps = steps_of(run);
      const double share = known(run).operations / known(most).operations;
      time.seconds += start + share * (static_cast<double>(steps) * step + evaluations_of(run, steps) * evaluation);
    }
    if (stopped(watch)) throw failure("it was stopped");
  } catch (const Error& error) {
    time.seconds = 0;
    time.unknown =
        error.location().known() ? error.location().text() + ": " + error.problem().text() : error.problem().text();
  }
  return time;
}

}  // namespace fovea
