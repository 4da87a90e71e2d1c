// sweep(): trains the runs of a list that the store does not have, several at a time, and stores each one when it
// ends (room lab/sweep). Commands, lab/analysis/reproduce.h, the server and the Python package call it.
//
// No finished run is lost or trained twice:
//   - A run is identified by its hash (RunSpec::hash: every setting and the seed, without the number of threads).
//   - A run is kept in one transaction. Its checkpoints are removed only after that (lab/train/checkpoint.h). Runs that
//     end less than 0.1 s after the last commit are committed together, 0.1 s after it. A kill loses at most these: the
//     same sweep resumes them from their last checkpoint, or trains them again.
//   - A process that trains a run has its lock (lab/store/run_lock.h). Two sweeps on one store share the work.
//   - After a kill or an interruption the same sweep continues: finished runs are found, and runs in training resume
//     from their checkpoints with the same bits.
// The hash does not contain the program's version. Every run keeps the version beside its hash, and runs found from
// other versions are counted. Runs of another arithmetic revision (base/version.h) are trained again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/base/error/wording.h"
#include "fovea/lab/experiment/run_list.h"
#include "fovea/lab/store/store.h"
#include "fovea/lab/sweep/worker_pool.h"

namespace fovea {

struct SweepProgress {
  std::int64_t total = 0;
  std::int64_t done = 0, reused = 0, failed = 0, stopped = 0;
  std::int64_t refused = 0;    // their specs cannot be trained; nothing is kept of them
  std::int64_t elsewhere = 0;  // another process trains them; the sweep waits
  // Includes those in training.
  std::int64_t left() const { return total - done - reused - failed - stopped - refused; }
  double seconds = 0, seconds_left = 0;
  std::string stage = {};  // "stage 2 of 3" of an experiment in stages
  struct Run {
    std::string label;
    std::int64_t step = 0, of = 0;
  };
  std::vector<Run> in_training;
  std::map<std::string, std::int64_t> of_versions;  // runs found, by the other versions that trained them
  std::optional<Error> refusal = {};                // the first
  std::vector<std::string> failures = {};           // the first five: "seed 3 failed: at step 6 the loss is inf"
};

struct SweepOptions {
  int jobs = 0;  // 0: one per core; where several train at once each has one thread
  // Who trains the runs, `jobs` at a time; unset: threads of this process.
  std::function<std::unique_ptr<WorkerPool>(int jobs, const CheckpointPlan&)> pool = {};
  bool retrain = false;             // train runs that the store has already
  bool ignore_checkpoints = false;  // start interrupted runs from step 0
  bool retry_failed = false;  // also those that failed in this version; those of other versions are always retried
  bool wait = true;           // wait for runs that other processes train; if false, such a run is refused
  double checkpoint_every = CheckpointPlan().every;  // seconds; 0: as often as is cheap
  const std::atomic<bool>* stop = nullptr;           // once set, runs in training stop; they can be resumed
  Watcher* watcher = nullptr;      // of every run (lab/train/step_watcher.h), on the thread that trains it
  UpdateEngine* engine = nullptr;  // of runs with train.engine (lab/train/update_engine.h)
  // All callbacks run on the calling thread.
  std::function<void(const SweepProgress&)> progress = {};  // about 20 times a second, and after each commit
  std::function<void(std::size_t index, RunRecord record)> on_record = {};  // each run: with series, without arrays
  std::function<void(const std::string&)> notice = {};                      // messages for a person, one line each
  const Wording* wording = &plain_wording();                                // words errors inside notices
};

// A run that fails is kept with its error. A run that is refused (for example, its data are missing) is named in a
// notice, and nothing is kept of it. Neither stops the other runs. Throws failure if the store cannot be written.
// Returns the last progress.
SweepProgress sweep(Store& store, const std::string& experiment, const RunList& list, const SweepOptions& options);

// Returns the records that were reached, in the order of `runs`. Throws the first refusal after all other runs are
// trained and kept.
std::vector<RunRecord> sweep(Store& store, const std::string& experiment, std::vector<ResolvedRun> runs,
                             SweepOptions options);

// The same for one run. Nothing, where it was stopped before its first step.
std::optional<RunRecord> sweep_one(Store& store, const std::string& experiment, ResolvedRun run, SweepOptions options);

}  // namespace fovea
