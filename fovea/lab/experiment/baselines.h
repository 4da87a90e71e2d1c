// Baselines of an experiment: the runs that its own runs are measured against (lab/analysis/measurement.h) (room
// lab/experiment). read_experiment.cpp reads them; `fovea reproduce` and `fovea bench` resolve them. They have the
// same task. Model, training and evaluations are the experiment's unless the baseline sets them.
//
//   [[against]]
//   name = "what words alone say"
//   model = { name = "word-mean" }             # in place of the experiment's; its settings are dropped
//   train = { batch = 32, rate = 2e-4 }
//   epochs = 30                                # in place of train.steps; and an evaluation after each
//   set = { "task.alike" = false }             # over the experiment's settings
//   quick = { epochs = 5, "train.rate" = 2e-3 }
#pragma once

#include <vector>

#include "fovea/lab/experiment/experiment.h"

namespace fovea {

// Throws wrong_input with the location of the mistake.
Baseline read_baseline(const Value& table);

// One run for each of the experiment's. Overrides hold for what it shares with the experiment.
std::vector<ResolvedRun> resolve_baselines(const Experiment& experiment, Preset preset,
                                           const std::vector<Override>& overrides);

}  // namespace fovea
