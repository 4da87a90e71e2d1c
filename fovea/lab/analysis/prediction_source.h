// Finds the task of a prediction: a task by name with its settings, or that of an experiment (room lab/analysis).
// `fovea predict` and the Python package call it. Changes nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/theory/induction_flow.h"

namespace fovea {

struct NamedTask {
  std::unique_ptr<Task> task;   // null where the name is neither a task's nor an experiment's (nor a spec file, .toml)
  std::vector<Override> first;  // of an experiment that is a sweep over settings of its task: the value that each has
  double rate = 0;              // if it is trained by plain descent at one rate; else 0
  InductionClamps given = {};   // to its model `induction-exact`
  bool last = false;            // its probe ladder, and so its claims, ask for the last answer of each example alone
};

// Overrides name settings of the task, as in a run ("task.vocab"). Of a name that both have the experiment is meant:
// what is predicted is then what it trains on, and of one that is a sweep what a run by itself trains on
// (lab/experiment/sweep_plan.h).
NamedTask find_task(const std::string& name, Preset preset, const std::vector<Override>& overrides, std::uint64_t seed);

}  // namespace fovea
