// The one place where task, model, interventions, probes and recorder meet.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "fovea/lab/ranks/ranks.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/spec/resolved_run.h"

namespace fovea {

// Where checkpoints of the run lie (lab/train/checkpoint.h) and how often they are written. The caller holds the run's
// lock, and removes them once the run is kept.
struct CheckpointPlan {
  std::filesystem::path folder;  // empty: none are read or written
  double every = 30;             // seconds between two; longer where writing them takes over a fiftieth of the time
  bool forget = false;           // begin anew, whatever there is
  std::filesystem::path weights = {};  // where those of other runs lie (lab/train/weight_files.h), for transplants
};

// A run that was taken up where it was left.
struct Resumption {
  std::int64_t step = 0, of = 0;
  double seconds_ago = 0;    // since the checkpoint was written
  bool interrupted = false;  // it was asked to stop and wrote it then: nothing is done twice
};

// What a training cost, in seconds of the thread that trains: all of its work where train.threads is 1.
struct TimeSpent {
  double updates = 0;
  double probes = 0;    // drawing what they look at, forward, measuring
  double recorder = 0;  // the same for the examples whose attention is kept
  double all() const { return updates + probes + recorder; }
};
class Watcher;

struct TrainHooks {
  std::function<void(std::int64_t step, std::int64_t of)> progress = {};  // at most ~20 times a second
  const std::atomic<bool>* stop = nullptr;  // set from a signal: ends after the step, kept as stopped
  Ranks* ranks = nullptr;  // who share the shards of a run with train.data_parallel; the first writes its checkpoints
  Watcher* watcher = nullptr;  // lab/train/step_watcher.h
  CheckpointPlan checkpoints = {};
  std::function<void(const Resumption&)> resumed = {};
  std::function<void(const RunRecord&)> saved = {};      // a checkpoint was written: the record so far, state running
  std::function<void(const std::string&)> trouble = {};  // with checkpoints; the training goes on
  TimeSpent* spent = nullptr;                            // added to
};

// Trains the run and returns everything its probes said: state done, stopped, or failed for a run that went wrong
// midway (NaN), with an error that names step and layer and with what was measured until then. A spec that cannot be
// trained throws wrong_input. Depends on nothing but the spec: the same spec gives the same bits, also where the run
// was interrupted and went on from a checkpoint.
//
// Beside what the probes say there are the series `train_loss` and, where the model attends, arrays over a fixed
// handful of examples (probe.keep of them, from the test split): `attention` (examples, rows, positions) at each look,
// with it `attention.layer.1.head.2` and the like of a model of several heads, and once, at step 0, what the examples
// are: `attention_source`, `attention_target` (tokens, -1 for none), `attention_items`, `attention_labels`. Where
// they have labels, each look says with `attention_answers` which class the model says. They are thinned, first in
// examples, then in looks, to stay within a few megabytes a run.
//
// All of this is of the model as it attends by itself. While attention is held there is more, under names of its own
// (lab/record/held_name.h): the numbers of probes that differ then, and `attention_held`.
//
// Where stop_when ends the run early, the look that showed it is made once more as the last one.
RunRecord train(ResolvedRun run, const TrainHooks& hooks = {});

}  // namespace fovea
