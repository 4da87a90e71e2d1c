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
  const std::atomic<bool>* stop = nullptr;                           // set from a signal: ends after the step, kept as stopped
};

// Trains the spec from its start and returns everything its probes said (state done or stopped). A run that goes wrong midway
// (NaN) throws failure naming step and layer. Depends on nothing but the spec: the same spec gives the same bits.
RunRecord train(const RunSpec& spec, const TrainHooks& hooks = {});

}  // namespace fovea
