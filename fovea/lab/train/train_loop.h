// TrainLoop: the updates of a training, one after another (room lab/train). trainer.cpp of this room calls it. It
// changes the parameters. Between updates it calls the Evaluator and the CheckpointKeeper, and it stops on request:
//
//   plan of the update ──> batch ──> pass ──> gradient ──> optimiser ──> what interventions put back
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "fovea/base/error/error.h"
#include "fovea/data/longest_first.h"
#include "fovea/lab/query/expression.h"
#include "fovea/lab/ranks/shards.h"
#include "fovea/lab/train/checkpoint_keeper.h"
#include "fovea/lab/train/engine_gradients.h"
#include "fovea/lab/train/evaluator.h"
#include "fovea/lab/train/intervention_set.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/lab/train/workspace.h"
#include "fovea/nn/optimizer/optimizer.h"

namespace fovea {

// Says now and then that it is time to look at the clock: often where steps are long, rarely where they are short.
class Pulse {
 public:
  using Clock = Stopwatch::Clock;
  bool beat();
  Clock::time_point last() const { return last_; }

 private:
  int since_ = 0, stride_ = 1;
  Clock::time_point last_ = Clock::now();
};

template <class T>
class TrainLoop {
 public:
  // All of them outlive the loop.
  TrainLoop(Workspace<T>& workspace, InterventionSet<T>& interventions, Evaluator<T>& evaluator,
            const TrainSettings& train, const TrainHooks& hooks, RunRecord& record, Stopwatch& watch);

  // From the start, or where a checkpoint left it, to the end.
  RunState run();
  // The same up to `step`, where it is left as a checkpoint would be; the next call goes on from there.
  RunState run_until(std::int64_t step);

 private:
  class UpdateView;

  RunState go_on(bool begun);
  bool to_stop() const;
  bool asked_to_stop() const { return hooks_.stop && hooks_.stop->load(std::memory_order_relaxed); }
  bool saves() const { return keeper_ && !(shards_ && !shards_->first()); }
  void tend(std::int64_t step);

  void update(std::int64_t step);
  double gradient(const Pass& pass, std::int64_t step);

  void keep_weights();  // where train.checkpoints has the step

  bool evaluate(std::int64_t step, bool last);
  void check_stop_condition() const;

  Workspace<T>& workspace_;
  InterventionSet<T>& interventions_;
  Evaluator<T>& evaluator_;
  const TrainSettings& train_;
  const TrainHooks& hooks_;
  RunRecord& record_;
  Optimizer<T> optimizer_;
  LongestFirst longest_first_;
  std::optional<Shards<T>> shards_;
  std::optional<EngineGradients<T>> engine_;
  std::optional<Expression> stop_when_;
  double train_loss_ = std::numeric_limits<double>::quiet_NaN();
  double time_ = 0;  // of gradient flow
  std::int64_t pause_at_ = std::numeric_limits<std::int64_t>::max();
  bool begun_ = false;

  Pulse pulse_;
  Pulse::Clock::time_point told_ = Pulse::Clock::now();
  std::optional<CheckpointKeeper<T>> keeper_;
};

}  // namespace fovea
