// What there is, for people: tasks, models, probes and experiments with their settings.
#pragma once

#include <string>
#include <vector>

#include "fovea/base/value.h"

namespace fovea {

struct SettingDescription {
  std::string name, kind, help;
  Value fallback;  // its value where a spec does not say
};

struct Description {
  std::string name, summary;
  std::vector<SettingDescription> settings;
};

std::vector<Description> describe_tasks();
std::vector<Description> describe_models();
std::vector<Description> describe_probes();
std::vector<Description> describe_experiments();  // in tour order; summary is the title, no settings
std::vector<SettingDescription> describe_train();
std::vector<SettingDescription> describe_probe();  // of the `probe` table itself

}  // namespace fovea
