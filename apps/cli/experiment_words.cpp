#include "apps/cli/experiment_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "apps/cli/bounds.h"
#include "apps/cli/notice.h"
#include "fovea/base/error/error.h"
#include "fovea/lab/experiment/unresolved_spec.h"
#include "fovea/lab/ranks/ranks.h"

namespace fovea::cli {

namespace {

bool of_sweep(const std::string& words) { return words.starts_with("sweep."); }

// "sweep.KEY=VALUES". A list is the axis, as in a file; "a,b,c" and "0..9" as for axes without "sweep.".
Axis axis_of_sweep(const std::string& words) {
  const Location location = Location::setting(words);
  try {
    Axis axis = parse_axis(words.substr(words.find('.') + 1));
    if (axis.values.size() == 1 && axis.values.front().as<ValueList>()) axis = axis_of(axis.key, axis.values.front());
    for (Value& value : axis.values) value.location = location;
    return axis;
  } catch (const Error& error) {
    throw Error(error.kind(), error.problem(), error.remedy(), location);
  }
}

// "key=a,b", "key=0..9" and a distribution, "key=one_of(a)", name several values; commas within brackets or quotes are part of one.
bool names_several(const std::string& words) {
  const std::size_t equals = words.find('=');
  if (equals == std::string::npos) return false;
  const std::string value = words.substr(equals + 1);
  if (value.starts_with("one_of(")) return true;
  for (const std::string_view range : {"uniform(", "log("})  // of numbers, else it is an expression
    if (value.starts_with(range) && value.find_first_not_of("0123456789.,+-eE )", range.size()) == std::string::npos)
      return true;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = equals + 1; i < words.size(); ++i) {
    const char c = words[i];
    if (c == '"' || c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth == 0 && (c == ',' || words.compare(i, 2, "..") == 0)) return true;
  }
  return false;
}

}  // namespace

void ExperimentWords::add_settings(CLI::App& app, const std::string& more) {
  app.add_option("--set", set, "change a setting, as in task.vocab=60; may be repeated" + more)
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

void ExperimentWords::add_form(CLI::App& app, Preset otherwise) {
  otherwise_ = otherwise;
  const auto usual = [otherwise](Preset preset) { return preset == otherwise ? " (the default)" : ""; };
  CLI::Option* fast = app.add_flag(
      "--quick", quick, fmt::format("quick form: the small settings of an experiment{}", usual(Preset::quick)));
  app.add_flag("--full", full, fmt::format("full form: the full settings of an experiment{}", usual(Preset::full)))
      ->excludes(fast);
}

void ExperimentWords::add_output(CLI::App& app) {
  app.add_flag("--json", json, "print one JSON document");
  app.add_flag("--quiet", quiet, "show no progress");
}

void ExperimentWords::add_training(CLI::App& app) {
  CLI::Option* const of_engine =
      app.add_option("--engine", engine, "torch: PyTorch computes the gradients; the same as --set train.engine=torch")
          ->check(one_of({"torch"}))
          ->type_name("ENGINE");
  app.add_option("--device", device, "cpu or cuda: where PyTorch computes; the same as --set train.device=cuda")
      ->check(one_of({"cpu", "cuda"}))
      ->type_name("DEVICE")
      ->needs(of_engine);
  app.add_option("--checkpoints", checkpoints,
                 "store the weights after these steps, as in 0,1,2,4; the same as --set train.checkpoints=[0,1,2,4]")
      ->check(a_step())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("STEPS");
  app.add_flag("--ignore-checkpoint", ignore_checkpoint,
               "start at step 0, even if an interrupted run has a checkpoint");
  app.add_option(
         "--checkpoint", checkpoint,
         "seconds between two checkpoints of a run, from which it continues if it is interrupted (default 30; more "
         "if saving is slow)")
      ->check(between(0.0, 1e6))
      ->type_name("SECONDS");
}

void ExperimentWords::add_sweep(CLI::App& app) {
  app.add_option("--jobs", jobs, "runs at a time, each on one thread (default: one per core)")
      ->check(between(1, 4096))
      ->type_name("N");
  app.add_flag("--retrain", retrain, "train stored runs again");
  app.add_flag("--retry-failed", retry_failed, "train failed runs again");
  add_training(app);
}

Preset ExperimentWords::preset() const {
  if (quick) return Preset::quick;
  if (full) return Preset::full;
  return otherwise_;
}

void ExperimentWords::refuse_contradictions() const {
  std::map<std::string, std::string> given;  // by its key
  const auto add = [&given](const std::string& key, const std::string& words) {
    const auto [before, fresh] = given.try_emplace(key, words);
    if (!fresh && before->second != words)
      throw wrong_input(fmt::format("{} and {} contradict each other", before->second, words), "give one of the two");
  };
  for (const std::string& words : set) add(words.substr(0, words.find('=')), "--set " + words);
  const auto beside = [&](const char* option, const std::string& value) {
    const std::string key = fmt::format("train.{}", option);
    const auto before = given.find(key);
    if (value.empty() || before == given.end()) return;
    std::string same = before->second.substr(before->second.find('=') + 1);
    std::erase_if(same, [](char c) { return std::string_view("[] \"").find(c) != std::string_view::npos; });
    if (same != value) add(key, fmt::format("--{} {}", option, value));
  };
  beside("engine", engine);
  beside("device", device);
  beside("checkpoints", fmt::format("{}", fmt::join(checkpoints, ",")));
  beside("threads", threads ? std::to_string(*threads) : "");
}

std::vector<Override> ExperimentWords::overrides() const {
  refuse_contradictions();
  std::vector<Override> overrides;
  for (const std::string& words : set)
    if (!(found_ && of_sweep(words)) && !names_several(words)) overrides.push_back(parse_override(words));
  if (!engine.empty()) overrides.push_back({"train.engine", {engine, {}}});
  if (!device.empty()) overrides.push_back({"train.device", {device, {}}});
  if (threads) overrides.push_back({"train.threads", {*threads, {}}});
  if (!checkpoints.empty()) {
    ValueList steps;
    for (const std::int64_t step : checkpoints) steps.push_back({step, {}});
    overrides.push_back({"train.checkpoints", {std::move(steps), {}}});
  }
  return overrides;
}

std::vector<Axis> ExperimentWords::axes() const {
  std::vector<Axis> axes;
  for (const std::string& words : set)
    if (!(found_ && of_sweep(words)) && names_several(words)) axes.push_back(parse_axis(words));
  return axes;
}

Experiment ExperimentWords::find(const std::string& name) {
  Experiment experiment = find_experiment(name);
  found_ = true;
  for (const std::string& words : set)
    if (of_sweep(words)) set_axis(experiment, axis_of_sweep(words));
  const std::vector<std::string> lacking = settings_left_out(experiment, preset(), overrides());
  if (!lacking.empty())
    left_out_.push_back(fmt::format("{} of {} {} left out, because the model of --set has no such setting.",
                                    fmt::join(lacking, ", "), experiment.name, lacking.size() == 1 ? "is" : "are"));
  return experiment;
}

void ExperimentWords::report_left_out() const {
  if (quiet || Ranks::announced_rank() != 0) return;
  for (const std::string& text : left_out_) print_notice(text);
}

void ExperimentWords::report_first_values(const std::string& name, const std::vector<Override>& first,
                                          const std::string& more) const {
  if (first.empty() || quiet || Ranks::announced_rank() != 0) return;
  std::vector<std::string> settings;
  settings.reserve(first.size());
  for (const Override& one : first) settings.push_back(fmt::format("{} = {}", one.key, one.value.text()));
  notice("{} is a sweep. Its first values are used: {}. {}", name, fmt::join(settings, ", "), more);
}

void ExperimentWords::refuse_other_seeds(const std::string& option, const std::vector<Value>& seeds) const {
  const auto refuse = [&option](const std::string& words) {
    throw wrong_input(fmt::format("--set {} and {} contradict each other", words, option), "give one of the two");
  };
  for (const std::string& words : set) {
    if (of_sweep(words)) {
      if (const Axis axis = axis_of_sweep(words); axis.key == "seed" && axis.values != seeds) refuse(words);
    } else if (names_several(words)) {
      if (const Axis axis = parse_axis(words); axis.key == "seed" && axis.values != seeds) refuse(words);
    } else if (const Override change = parse_override(words);
               change.key == "seed" && (seeds.size() != 1 || seeds.front() != change.value)) {
      refuse(words);
    }
  }
}

}  // namespace fovea::cli
