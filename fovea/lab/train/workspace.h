// Workspace: the task, the model with its parameters, the current batch and the memory of a training (room
// lab/train). The TrainLoop, which updates, and the Evaluator share one, and never work at the same time:
//
//   task ──batch──> model ──trace──> loss and gradients, or probes
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fovea/base/team.h"
#include "fovea/data/task.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/spec/resolved_run.h"
#include "fovea/model/model.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
class Workspace {
 public:
  explicit Workspace(ResolvedRun& run);  // which outlives it

  const Task& task() const { return task_; }
  const TaskShape& shape() const { return shape_; }
  Model<T>& model() { return model_; }
  ParameterSet<T>& parameters() { return *parameters_; }
  const ParameterSet<T>& parameters() const { return *parameters_; }
  Team& team() { return team_; }

  // The next batch replaces the one before, and fresh memory all that was computed in it; but what a watcher's caller
  // holds on to is left to it, and there is new.
  Batch& next_batch(Split split, std::uint64_t step, int size);
  const Batch& batch() const { return *batch_; }
  Compute fresh_memory();

  std::vector<WeightRecord> weights() const;  // the parameters as they are now

  // For whoever keeps what is in them longer than a step.
  std::shared_ptr<const Batch> shared_batch() const { return batch_; }
  std::shared_ptr<const Arena> shared_memory() const { return arena_; }
  std::shared_ptr<const ParameterSet<T>> shared_parameters() const { return parameters_; }

  // Throw failure, with the parameter where numbers first went wrong and what may help.
  [[noreturn]] void refuse_loss(double loss, std::int64_t step) const;
  [[noreturn]] void refuse_gradient(std::int64_t step) const;

 private:
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::shared_ptr<Batch> batch_ = std::make_shared<Batch>();
  Team team_;
  Products products_;
  const Task& task_;
  const TaskShape& shape_;
  Model<T>& model_;
  std::shared_ptr<ParameterSet<T>> parameters_;
};

}  // namespace fovea
