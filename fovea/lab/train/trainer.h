// train() trains one run: it connects task, model, interventions, probes and recorder. Sweeps, commands, the server's
// engine and the Python package call it (room lab/train). It writes only checkpoints; the caller stores the record.
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

// The folder of a run's checkpoints (lab/train/checkpoint.h) and how often they are written. The caller has the run's
// lock, and removes the checkpoints once the run is stored.
struct CheckpointPlan {
  std::filesystem::path folder;        // empty: no checkpoints are read or written
  double every = 30;                   // seconds between two; longer if writing takes over a fiftieth of the time
  bool forget = false;                 // start at step 0 even if a checkpoint exists
  std::filesystem::path weights = {};  // folder of other runs' weights (lab/train/weight_files.h), for transplants
};

// A run that continues from a checkpoint.
struct Resumption {
  std::int64_t step = 0, of = 0;
  double seconds_ago = 0;    // since the checkpoint was written
  bool interrupted = false;  // the run was stopped and wrote the checkpoint then: no step is repeated
};

// The time of a training, in seconds of the training thread; with train.threads = 1 this thread does all the work.
struct TimeSpent {
  double updates = 0;
  double probes = 0;    // drawing the examples of probes, forward pass, measuring
  double recorder = 0;  // the same for the examples whose attention is stored
  double all() const { return updates + probes + recorder; }
};
class Watcher;
class UpdateEngine;

struct TrainHooks {
  std::function<void(std::int64_t step, std::int64_t of)> progress = {};  // at most ~20 times a second
  const std::atomic<bool>* stop = nullptr;  // set from a signal: ends after the step, kept as stopped
  Ranks* ranks = nullptr;  // who share the shards of a run with train.data_parallel; the first writes its checkpoints
  Watcher* watcher = nullptr;      // lab/train/step_watcher.h
  UpdateEngine* engine = nullptr;  // of runs with train.engine: lab/train/update_engine.h
  CheckpointPlan checkpoints = {};
  std::function<void(const Resumption&)> resumed = {};
  std::function<void(const RunRecord&)> saved = {};      // a checkpoint was written: the record so far, state running
  std::function<void(const std::string&)> trouble = {};  // with checkpoints; the training goes on
  TimeSpent* spent = nullptr;                            // added to
};

// Trains the run and returns its record: done, stopped, or failed if the run went wrong midway (NaN). A failed record
// has an error that names step and layer, and the measurements until then. An impossible spec throws wrong_input. The
// result depends only on the spec: the same spec gives the same bits, even if the run was interrupted and continued
// from a checkpoint.
//
// The record contains what probes measure, the series `train_loss`, and, if the model attends, arrays over a few fixed
// examples (probe.keep of them, from the test split). `attention` (examples, rows, positions) is stored at each
// evaluation, with `attention.layer.1.head.2` and so on for a model of several heads. The examples are stored once, at
// step 0: `attention_source`, `attention_target` (tokens, -1 for none), `attention_items`, `attention_labels`. If they
// have labels, `attention_answers` has the model's class at each evaluation. The arrays are thinned, first by example,
// then by evaluation, to at most a few megabytes per run.
//
// All of this describes the model with its own attention. While attention is held, the record has more, under other
// names (lab/record/held_name.h): the numbers of probes that differ then, and `attention_held`.
//
// If stop_when ends the run early, the evaluation that met the condition is repeated as the last one.
RunRecord train(ResolvedRun run, const TrainHooks& hooks = {});

}  // namespace fovea
