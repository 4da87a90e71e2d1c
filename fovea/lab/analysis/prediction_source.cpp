#include "fovea/lab/analysis/prediction_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

NamedTask find_task(const std::string& name, Preset preset, const std::vector<Override>& overrides,
                    std::uint64_t seed) {
  const std::vector<std::string> experiments = experiment_names();
  if (std::ranges::find(experiments, name) != experiments.end() || name.ends_with(".toml")) {
    const Experiment experiment = find_experiment(name);
    std::vector<Override> first = first_values(experiment, preset, overrides), settings = overrides;
    settings.insert(settings.end(), first.begin(), first.end());
    const RunSpec spec = resolve(experiment, preset, settings, seed);
    std::unique_ptr<Task> task = make_task(spec);
    const std::optional<Value> place = spec.setting("probe.ladder.place");
    std::erase_if(first, [](const Override& one) { return !one.key.starts_with("task."); });
    return {std::move(task), std::move(first), place == Value{std::string("last"), {}}};
  }
  if (!Registry<Task>::instance().all().contains(name)) return {};
  RunSpec spec;
  spec.seed = seed;
  for (const Override& change : overrides) {
    if (!change.key.starts_with("task."))
      throw wrong_input(fmt::format("'{}' is no setting of task '{}'", change.key, name),
                        Remedy::set_of_task("task.vocab", 60), change.value.place);
    spec.task[change.key.substr(5)] = change.value;
  }
  spec.task["name"] = {name, {}};
  return {make_task(spec), {}, false};
}

}  // namespace fovea
