// The settings of a run as they are written, before defaults and checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/lab/experiment/experiment.h"

namespace fovea {

struct UnresolvedSpec {
  ValueTable task, model, train, probe;
  ValueList interventions;
  std::uint64_t seed = 0;
};

UnresolvedSpec unresolved_spec(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                               std::uint64_t seed);
void apply(UnresolvedSpec& draft, const std::string& key,
           const Value& value);                 // throws wrong_input for a setting there is not
RunSpec complete(const UnresolvedSpec& draft);  // checks every setting for itself, and fills in what is not written

}  // namespace fovea
