// Experiments and their claims: runs what is missing, then says what held.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fovea/lab/stages.h"
#include "fovea/lab/store.h"
#include "fovea/lab/trainer.h"

namespace fovea {

struct SweepProgress {
  std::int64_t done = 0, reused = 0, failed = 0, total = 0;
  double seconds = 0, seconds_left = 0;
  std::string now;  // "copy-subset seed 3"
};

struct SweepOptions {
  int jobs = 0;        // 0: one per core; each run has one thread
  bool fresh = false;  // run again what is already there
  std::function<void(const SweepProgress&)> progress;
  const std::atomic<bool>* stop = nullptr;
};

// Runs those specs that the store does not hold as done, `jobs` at a time, and keeps each as it ends. A run that fails
// is kept with its error and does not stop the others; wrong_input (a folder without the data it should have) does, and
// no run is kept for it. Returns the records in the order of `specs`, with series and without arrays. Progress is told
// on the calling thread, as each run ends and about 20 times a second. After `stop`, runs in flight end as stopped and
// those that never began are left out.
std::vector<RunRecord> sweep(Store& store, const std::string& experiment, const std::vector<RunSpec>& specs,
                             const SweepOptions& options);

// `notes` are what there is to know of the groups of runs (lab/stages.h): claims that read them pass it on.
std::vector<ClaimResult> check_claims(const Experiment& experiment, Form form, const std::vector<RunRecord>& runs,
                                      const std::vector<std::string>& notes = {});

// The runs of an experiment, stage by stage, those that are missing made by sweep().
StagedRuns sweep_stages(Store& store, const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                        const std::vector<Axis>& axes, const SweepOptions& options);

struct Reproduction {
  Experiment experiment;
  Form form;
  std::vector<RunRecord> runs;
  std::vector<ClaimResult> claims;
  double seconds = 0;
};
// Claims are checked when every run was reached, and kept unless overrides made it another experiment.
Reproduction reproduce(Store& store, const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                       const SweepOptions& options);

}  // namespace fovea
