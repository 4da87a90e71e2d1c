// Who trains the runs of a sweep: threads of this process, or other processes. A pool is handed work and tells what
// becomes of it; it touches no store.
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
  std::uint64_t number = 0;  // the giver's own; no two at once are alike
  RunSpec spec;
};

// The last word on a piece of work is one of the first three.
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
struct News {
  std::uint64_t number = 0;
  std::variant<Ended, Refused, NotBegun, Saved, Resumed, Trouble> what;
};

struct InTraining {
  std::uint64_t number = 0;
  std::int64_t step = 0, of = 0;  // 0 of 0 until it is known
};

// Used by one thread. Going away, it stops what is in training and waits for it.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  virtual int size() const = 0;  // how many runs it trains at a time
  virtual void give(Work work) = 0;
  virtual std::optional<News> wait(std::chrono::milliseconds patience) = 0;
  virtual void stop() = 0;
  virtual std::vector<InTraining> in_training() const = 0;
};

// Threads of this process, each of which calls `how` for one run after the other. Throws failure if not even one can be
// started.
using HowToTrain = std::function<RunRecord(const RunSpec&, const TrainHooks&)>;
std::unique_ptr<WorkerPool> thread_pool(int size, const CheckpointPlan& checkpoints, HowToTrain how = train);

}  // namespace fovea
