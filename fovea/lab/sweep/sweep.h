// Many runs: those that the store does not hold yet are trained, several at a time, and each is kept as it ends.
//
// Nothing that was finished is ever lost or done twice:
//   - a run is known by its hash (RunSpec::hash: every setting and the seed, but not the number of threads);
//   - it is kept in one transaction; its checkpoints go away only after that (lab/train/checkpoint.h);
//   - whoever trains it holds its lock (lab/store/run_lock.h), so two sweeps of one experiment on one store share
//     the work;
//   - after a kill or an interruption the same sweep goes on: finished runs are found, those in training go on from
//     their checkpoints, bit for bit.
// The hash does not name the version of the program, which every run keeps beside it: a store outlives versions, and a
// claim is about its spec. What was found of other versions is counted, to be said.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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
  std::int64_t elsewhere = 0;  // in training by another process; waited for
  // Those in training included.
  std::int64_t left() const { return total - done - reused - failed - stopped - refused; }
  double seconds = 0, seconds_left = 0;
  std::string stage = {};  // "stage 2 of 3" of an experiment in stages
  struct Run {
    std::string label;
    std::int64_t step = 0, of = 0;
  };
  std::vector<Run> in_training;
  std::map<std::string, std::int64_t> of_versions;  // runs found that other versions of the program made
  std::optional<Error> refusal = {};                // the first
};

struct SweepOptions {
  int jobs = 0;  // 0: one per core; where several train at once each has one thread
  // Who trains the runs, `jobs` at a time; unset: threads of this process.
  std::function<std::unique_ptr<WorkerPool>(int jobs, const CheckpointPlan&)> pool = {};
  bool again = false;         // train anew what is done
  bool forget = false;        // begin anew what has a checkpoint
  bool retry_failed = false;  // those that failed in this version of the program; of other versions they always are
  bool wait = true;           // for runs that other processes train; else they are refused
  double checkpoint_every = CheckpointPlan().every;  // seconds; 0: as often as is cheap
  const std::atomic<bool>* stop = nullptr;           // runs in training then stop, and can be gone on with
  Watcher* watcher = nullptr;  // of every run (lab/train/step_watcher.h), on the thread that trains it
  // All are called on the calling thread.
  std::function<void(const SweepProgress&)> progress = {};  // ~20 times a second; of few workers as each run ends, too
  std::function<void(std::size_t place, RunRecord record)> take = {};  // each run reached: with series, without arrays
  std::function<void(const std::string&)> notice = {};                 // what a person should know, a line each
  const Wording* wording = &plain_wording();                           // in which errors stand there
};

// A run that fails is kept with its error; one that is refused (a folder without the data it should have) is named in
// a notice and nothing is kept of it. Neither stops the others. A store that cannot be written ends it with the
// reason. Returns how far it came.
SweepProgress sweep(Store& store, const std::string& experiment, const RunList& list, const SweepOptions& options);

// The same for a list at hand; the runs that were reached, in its order. Throws the first refusal, when all others are
// trained and kept.
std::vector<RunRecord> sweep(Store& store, const std::string& experiment, const std::vector<RunSpec>& specs,
                             SweepOptions options);

}  // namespace fovea
