// Finds an experiment by its name or file, and lists the shipped ones, as experiment.h declares (room
// lab/experiment). Commands, the server and the Python package call it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/io/shipped.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/experiment/experiment.h"

namespace fovea {

namespace {

Experiment parse_shipped(const ShippedExperiment& shipped) {
  const std::string name(shipped.name), words = fmt::format("experiment '{}'", name);
  const auto kind = Location::Kind::spec;  // a line of it means nothing to a person
  Experiment experiment =
      experiment_from_table(parse_table(std::string(shipped.toml), words, kind), {words, 0, 0, kind});
  experiment.name = name;
  return experiment;
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
  Remedy remedy = Remedy::list_parts("experiments");
  if (name_or_path.find('.') != std::string::npos) remedy = "the name of a spec file must end in .toml";
  throw wrong_input("there is no experiment '" + name_or_path + "'",
                    suggest_name(name_or_path, names, std::move(remedy)));
}

std::vector<std::string> experiment_names() {
  static const std::vector<std::string> all = [] {  // parsed once
    std::vector<std::pair<int, std::string>> numbered;
    for (const ShippedExperiment& shipped : shipped_experiments())
      numbered.emplace_back(parse_shipped(shipped).order, shipped.name);
    return names_in_order(std::move(numbered));
  }();
  return all;
}

std::vector<std::string> names_in_order(std::vector<std::pair<int, std::string>> numbered) {
  std::sort(numbered.begin(), numbered.end());
  std::vector<std::string> names;
  for (auto& entry : numbered) names.push_back(std::move(entry.second));
  return names;
}

}  // namespace fovea
