// Training: a training a few steps at a time (room lab/train). The page's engine (apps/wasm/training.cpp) uses it;
// trainer.cpp implements it. The caller gets its thread back between steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fovea/lab/record/record.h"
#include "fovea/lab/spec/resolved_run.h"

namespace fovea {

// What train() (lab/train/trainer.h) does, for who must have the thread back in between: the same spec gives the same
// bits however it is cut. Throws as train() does.
class Training {
 public:
  explicit Training(ResolvedRun run);
  ~Training();

  const RunRecord& record() const;  // so far; state running until the run is over
  // As they are now. Throws of a training that failed: an update whose gradient was not finite has spoilt them.
  std::vector<WeightRecord> weights() const;
  // Goes on until `step` updates are done, or the run is over. The look at step 0 is made by the first call.
  void advance(std::int64_t step);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fovea
