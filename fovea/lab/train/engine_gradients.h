// EngineGradients: loss and gradients of a run's updates by another program (update_engine.h) (room lab/train). The
// TrainLoop calls it in place of the model's own passes. It writes gradients.
#pragma once

#include <cstdint>
#include <memory>

#include "fovea/lab/record/run_spec.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/lab/train/update_engine.h"
#include "fovea/lab/train/workspace.h"

namespace fovea {

template <class T>
class EngineGradients {
 public:
  // The workspace outlives it. Throws wrong_input if there is no engine, or if it does not know the model or the
  // device.
  EngineGradients(UpdateEngine* engine, const RunSpec& spec, const TrainSettings& train, Workspace<T>& workspace);

  // Of the batch at hand: fills the gradients, moves the statistics and returns the loss.
  double compute(const Pass& pass);

 private:
  Workspace<T>& workspace_;
  std::unique_ptr<EngineLink> link_;
};

}  // namespace fovea
