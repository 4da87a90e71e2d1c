// The task that a prediction is asked for: one by name with its settings, or that of an experiment.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/lab/experiment/experiment.h"

namespace fovea {

// Overrides name settings of the task, as in a run ("task.vocab"). Of a name that both have the experiment is meant:
// what is predicted is then what it trains on. Null where `name` is neither (nor a spec file, which ends in .toml).
std::unique_ptr<Task> find_task(const std::string& name, Preset preset, const std::vector<Override>& overrides,
                                std::uint64_t seed);

}  // namespace fovea
