#include "fovea/lab/analysis/prediction_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

namespace {

template <class T>
std::optional<T> read_setting(const RunSpec& spec, const std::string& key) {
  const std::optional<Value> value = spec.setting(key);
  const T* const found = value ? value->as<T>() : nullptr;
  return found ? std::optional(*found) : std::nullopt;
}

double rate_of_descent(const RunSpec& spec) {
  const bool plain = read_setting<std::string>(spec, "train.optimizer") == "sgd" &&
                     read_setting<double>(spec, "train.momentum").value_or(0) == 0 &&
                     read_setting<std::string>(spec, "train.schedule") == "constant";
  return plain ? read_setting<double>(spec, "train.rate").value_or(0) : 0;
}

InductionClamps given_to(const RunSpec& spec) {
  InductionClamps given;
  if (read_setting<std::string>(spec, "model.name") != "induction-exact") return given;
  given.start_copy = read_setting<double>(spec, "model.copy").value_or(0);
  for (const Value& part : read_setting<ValueList>(spec, "model.frozen").value_or(ValueList()))
    given.copy = given.copy || part == Value{std::string("output"), {}};
  return given;
}

}  // namespace

NamedTask find_task(const std::string& name, Preset preset, const std::vector<Override>& overrides,
                    std::uint64_t seed) {
  const std::vector<std::string> experiments = experiment_names();
  if (std::ranges::find(experiments, name) != experiments.end() || name.ends_with(".toml")) {
    const Experiment experiment = find_experiment(name);
    std::vector<Override> first = first_values(experiment, preset, overrides), settings = overrides;
    settings.insert(settings.end(), first.begin(), first.end());
    const RunSpec spec = resolve(experiment, preset, settings, seed);
    std::unique_ptr<Task> task = make_task(spec);
    const std::optional<Value> position = spec.setting("probe.ladder.place");
    std::erase_if(first, [](const Override& one) { return !one.key.starts_with("task."); });
    return {std::move(task), std::move(first), rate_of_descent(spec), given_to(spec),
            position == Value{std::string("last"), {}}};
  }
  if (!Registry<Task>::instance().all().contains(name)) return {};
  RunSpec spec;
  spec.seed = seed;
  for (const Override& change : overrides) {
    if (!change.key.starts_with("task."))
      throw wrong_input(
          fmt::format("a prediction of task '{}' reads the settings of the task, which begin with 'task.'", name),
          change.key.find('.') == std::string::npos ? Remedy(fmt::format("write task.{}", change.key))
                                                    : Remedy::set_of_task("task.vocab", 60),
          change.value.location);
    spec.task[change.key.substr(5)] = change.value;
  }
  spec.task["name"] = {name, {}};
  return {make_task(spec), {}};
}

}  // namespace fovea
