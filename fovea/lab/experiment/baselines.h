// Runs that an experiment's own are measured against (lab/analysis/measurement.h): on the same task, and of model,
// training and evaluations what they do not say is the experiment's.
//
//   [[against]]
//   name = "what words alone say"
//   model = { name = "word-mean" }             # in place of the experiment's; nothing that is set for that holds
//   train = { batch = 32, rate = 2e-4 }
//   epochs = 30                                # in place of train.steps; and an evaluation after each
//   set = { "task.alike" = false }             # over what it has from the experiment
//   quick = { epochs = 5, "train.rate" = 2e-3 }
#pragma once

#include <vector>

#include "fovea/lab/experiment/experiment.h"

namespace fovea {

// Throws wrong_input with the location of what is wrong.
Baseline read_baseline(const Value& table);

// One run for each of the experiment's. Overrides hold for what it shares with the experiment.
std::vector<ResolvedRun> resolve_baselines(const Experiment& experiment, Preset preset,
                                           const std::vector<Override>& overrides);

}  // namespace fovea
