// CheckpointKeeper: writes a run's checkpoints during training, as often as is cheap, and resumes a run from one
// (room lab/train). The TrainLoop and train() call it.
#pragma once

#include <chrono>
#include <cstdint>

#include "fovea/base/duration.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/lab/train/train_state.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {

// The time a run has taken, with what it took before it was interrupted.
struct Stopwatch {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  double before = 0;
  double seconds() const { return before + seconds_since(start); }
};

template <class T>
class CheckpointKeeper {
 public:
  using Clock = Stopwatch::Clock;

  // All of them outlive the keeper; hooks.checkpoints names a folder.
  CheckpointKeeper(const TrainHooks& hooks, TrainState<T> state, std::int64_t steps, Stopwatch& watch);

  // True where the run now stands where a checkpoint left it. What is damaged, or of another version of the program, is
  // told and passed over.
  bool restore();

  bool due(Clock::time_point now);
  void save();       // what goes wrong is told once, and training goes on
  void save_last();  // of a run that was asked to stop, where anything is new

 private:
  bool restore(const TensorFile& file);
  void write(bool interrupted);
  void report_trouble(const std::string& trouble) const;

  const TrainHooks& hooks_;
  TrainState<T> state_;
  std::int64_t steps_;
  Stopwatch& watch_;
  Checkpoints files_;
  Clock::time_point saved_at_ = Clock::now();
  Clock::duration pause_, least_pause_{};  // the second where somebody watches
  Clock::time_point looked_for_watchers_ = saved_at_;
  bool watched_ = false;
  std::int64_t saved_step_ = 0;
  bool trouble_told_ = false;
};

}  // namespace fovea
