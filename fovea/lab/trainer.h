// The one place where task, model, interventions, probes and recorder meet.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "fovea/lab/record.h"
#include "fovea/lab/spec.h"

namespace fovea {

struct TrainHooks {
  std::function<void(std::int64_t step, std::int64_t of)> progress;  // at most ~20 times a second
  const std::atomic<bool>* stop = nullptr;  // set from a signal: ends after the step, kept as stopped
};

// Trains the spec from its start and returns everything its probes said (state done or stopped). A run that goes wrong
// midway (NaN) throws failure naming step and layer. Depends on nothing but the spec: the same spec gives the same
// bits.
//
// Beside what the probes say there are the series `train_loss` and, where the model attends, arrays over a fixed
// handful of examples (probe.keep of them, from the test split): `attention` (examples, rows, positions) at each look,
// and once, at step 0, what the examples are: `attention_source`, `attention_target` (tokens, -1 for none),
// `attention_items`, `attention_labels`. They are thinned, first in examples, then in looks, to stay within a few
// megabytes a run.
//
// Where stop_when ends the run early, the look that showed it is made once more as the last one.
RunRecord train(const RunSpec& spec, const TrainHooks& hooks = {});

}  // namespace fovea
