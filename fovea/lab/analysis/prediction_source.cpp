#include "fovea/lab/analysis/prediction_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/lab/spec/assembly.h"

namespace fovea {

std::unique_ptr<Task> find_task(const std::string& name, Preset preset, const std::vector<Override>& overrides,
                                std::uint64_t seed) {
  const std::vector<std::string> experiments = experiment_names();
  if (std::ranges::find(experiments, name) != experiments.end() || name.ends_with(".toml"))
    return make_task(resolve(find_experiment(name), preset, overrides, seed));
  if (!Registry<Task>::instance().all().contains(name)) return nullptr;
  RunSpec spec;
  spec.seed = seed;
  for (const Override& change : overrides) {
    if (!change.key.starts_with("task."))
      throw wrong_input(fmt::format("'{}' is no setting of task '{}'", change.key, name),
                        Remedy::set_of_task("task.vocab", {60, {}}), change.value.place);
    spec.task[change.key.substr(5)] = change.value;
  }
  spec.task["name"] = {name, {}};
  return make_task(spec);
}

}  // namespace fovea
