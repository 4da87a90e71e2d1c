// LiveRuns: runs in training, as another process sees them (room lab/store). `fovea watch` calls it. It reads their
// locks (lab/store/run_lock.h), their rows in the store and their last checkpoints (lab/train/checkpoint.h). It asks
// for fresh checkpoints.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fovea/lab/store/store.h"

namespace fovea {

struct LiveRun {
  std::string hash;
  std::string holder;      // "process 12 on hostname"
  bool seen = false;       // there is a checkpoint, and the record is what it says, with arrays
  RunRecord record;        // id and experiment as the store has them, 0 and "" where it does not have it yet
  std::int64_t steps = 0;  // it is to make
};

// Whoever looks asks for checkpoints now and then, until it goes away.
class LiveRuns {
 public:
  explicit LiveRuns(const Store& store) : store_(store) {}
  LiveRuns(const LiveRuns&) = delete;
  LiveRuns& operator=(const LiveRuns&) = delete;
  ~LiveRuns();

  std::vector<LiveRun> poll();  // in the order they began in; a checkpoint is read once

 private:
  struct Seen {
    std::filesystem::file_time_type written;
    LiveRun run;
  };
  const Store& store_;
  std::map<std::string, Seen> seen_;
};

}  // namespace fovea
