// Finds an experiment by its name or file, and lists the shipped ones, as experiment.h declares (room
// lab/experiment). Commands, the server and the Python package call it.
#include <algorithm>

#include "fovea/base/error/names.h"
#include "fovea/io/shipped.h"
#include "fovea/lab/experiment/experiment.h"

namespace fovea {

namespace {

Experiment parse_shipped(const ShippedExperiment& shipped) {
  return parse_experiment(std::string(shipped.toml), "experiments/" + std::string(shipped.name) + ".toml");
}

}  // namespace

Experiment find_experiment(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml"))
    return read_experiment(name_or_path);
  std::vector<std::string> names;
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name == name_or_path) return parse_shipped(shipped);
    names.emplace_back(shipped.name);
  }
  throw wrong_input("there is no experiment '" + name_or_path + "'",
                    suggest_name(name_or_path, names, Remedy::list_parts("experiments")));
}

std::vector<std::string> experiment_names() {
  std::vector<std::pair<int, std::string>> ordered;
  for (const ShippedExperiment& shipped : shipped_experiments())
    ordered.emplace_back(parse_shipped(shipped).order, shipped.name);
  std::sort(ordered.begin(), ordered.end());
  std::vector<std::string> names;
  for (auto& entry : ordered) names.push_back(std::move(entry.second));
  return names;
}

}  // namespace fovea
