// WorkerPool: trains the runs of a sweep, in threads of this process or in other processes (room lab/sweep).
// lab/sweep/sweep.cpp calls it. It takes work and returns updates; it does not use a store.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {

struct Work {
  std::uint64_t number = 0;  // chosen by the caller; unique among work that is not finished
  ResolvedRun run;
};

// The last update on a piece of work is one of the first three.
struct Ended {
  RunRecord record;  // done, failed, or stopped because the pool was
};
struct Refused {
  Error error;  // the spec cannot be trained
};
struct NotBegun {};  // the pool was stopped before its turn
struct Saved {
  RunRecord record;  // as a checkpoint has it, without arrays
};
struct Resumed {
  Resumption from;
};
struct Trouble {
  std::string text;
};
struct RunUpdate {
  std::uint64_t number = 0;
  std::variant<Ended, Refused, NotBegun, Saved, Resumed, Trouble> what;
};

struct InTraining {
  std::uint64_t number = 0;
  std::int64_t step = 0, of = 0;  // 0 of 0 until it is known
};

// Used by one thread. The destructor stops the runs in training and waits for them.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  virtual int size() const = 0;  // how many runs it trains at a time
  virtual void submit(Work work) = 0;
  virtual std::optional<RunUpdate> wait(std::chrono::milliseconds patience) = 0;
  virtual void stop() = 0;
  virtual std::vector<InTraining> in_training() const = 0;
};

// A pool of threads of this process. Each thread calls `how` for one run after another. Throws failure if no thread can
// be started.
using HowToTrain = std::function<RunRecord(ResolvedRun, const TrainHooks&)>;
std::unique_ptr<WorkerPool> thread_pool(int size, const CheckpointPlan& checkpoints, HowToTrain how = train);

}  // namespace fovea
