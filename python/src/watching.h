// PythonWatcher: callbacks of Python at every update of a training (fovea/lab/train/step_watcher.h) (folder
// python/src). training.cpp of this folder passes it to the training. A callback may change the update.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fovea/lab/train/step_watcher.h"
#include "python/src/call.h"

namespace fovea::python {

// on_step(Step) looks on; intervene(step) gives None, or what a spec's `intervene` would hold for this update. Either
// may be None.
class PythonWatcher : public Watcher {
 public:
  PythonWatcher(Call& call, py::object on_step, py::object intervene);

  bool ended() const override {
    return call_.stop();
  }  // at once: whoever runs the sweep hears of it some milliseconds later
  ValueList interventions(std::int64_t step) override;
  void watch(StepView& view) override;
  bool watches() const override { return !on_step_.is_none(); }

  // The parameters as they are now, by name: the engine's memory, which goes on with a training that is not over. None
  // before the first update.
  py::object weights() const;

 private:
  Call& call_;
  py::object on_step_, intervene_;
  bool seen_ = false;  // an update
  std::vector<std::pair<std::string, StepArray>> weights_;
};

}  // namespace fovea::python
