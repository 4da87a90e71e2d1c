// Describes tasks, models, probes, interventions and experiments with their settings (room lab/experiment). `fovea
// list`, the page and the Python package show it. Reads the registries; changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/base/error/value.h"

namespace fovea {

struct SettingDescription {
  std::string name, kind, help;
  std::optional<Value> fallback;  // its value where a spec does not say
  std::string otherwise;          // what holds then, in words, for one that has none
};

struct Description {
  std::string name, summary;
  std::vector<SettingDescription> settings;
};

std::vector<Description> describe_tasks();
std::vector<Description> describe_models();
std::vector<Description> describe_probes();
std::vector<Description> describe_experiments();    // in tour order; summary is the title, no settings
std::vector<Description> describe_interventions();  // what may stand in `intervene = [ … ]`
std::vector<Description> describe_settings();       // of the tables `train` and `probe` themselves

}  // namespace fovea
