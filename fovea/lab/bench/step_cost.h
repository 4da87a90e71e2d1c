// Computes the operations and bytes that one training step needs, in any program (room lab/bench). bench.h of this
// room compares measured speed with it. docs/developers/measure-speed.md has the formulas with their reasons.
#pragma once

#include <optional>

#include "fovea/data/task.h"
#include "fovea/lab/record/run_spec.h"

namespace fovea {

// Operations are those of the matrix products of forward, backward and weight gradients that no algebra saves, a
// multiplication and an addition being two: words that come several times in a batch are projected once, products of
// parameters are folded, and no gradient is made of what is given. `functions` are exponentials and their kin (tanh,
// logistic), which are most of the work of some systems. `bytes` are those of the parameters, their gradients and the
// optimiser's moments, each read and written once.
struct StepCost {
  double operations = 0;
  double functions = 0;
  double bytes = 0;
};

// Of one batch; bytes aside. Nothing for a model whose cost is not known here.
std::optional<StepCost> batch_cost(const RunSpec& spec, const TaskShape& shape, const Batch& batch);

// Of a run's training step, averaged over its first batches; `task` is the spec's own.
std::optional<StepCost> step_cost(const RunSpec& spec, const Task& task);
std::optional<StepCost> step_cost(const RunSpec& spec);

}  // namespace fovea
