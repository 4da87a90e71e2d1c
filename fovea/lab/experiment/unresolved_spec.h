// UnresolvedSpec: the settings of a run as they are written, before defaults and checks (room lab/experiment).
// resolve.cpp and sweep_plan.h of this room, and the front ends, apply overrides to it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/spec/resolved_run.h"

namespace fovea {

struct UnresolvedSpec {
  ValueTable task, model, train, probe;
  ValueList interventions;
  std::uint64_t seed = 0;
};

// The model that overrides name in place of the one before, if they do.
class OtherModel {
 public:
  OtherModel(const ValueTable& before, const std::vector<Override>& overrides);
  bool lacks(const std::string& key) const;  // "model.embedding": whether it has no such setting

 private:
  std::optional<std::set<std::string>> names_;
};

UnresolvedSpec unresolved_spec(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                               std::uint64_t seed);
void apply(UnresolvedSpec& draft, const std::string& key,
           const Value& value);  // throws wrong_input for a setting there is not
// What is left out where overrides name another model than the experiment's: "model.embedding", and axes of its sweep.
std::vector<std::string> settings_left_out(const Experiment& experiment, Preset preset,
                                           const std::vector<Override>& overrides);

// An axis of the sweep in every form, in place of the experiment's own of the same key.
void set_axis(Experiment& experiment, const Axis& axis);

// Checks every setting for itself, and fills in what is not written.
ResolvedRun complete(const UnresolvedSpec& draft);

}  // namespace fovea
