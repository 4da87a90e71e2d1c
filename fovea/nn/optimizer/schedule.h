// Schedule: the learning rate at step n, counted from 0, as a share of its full value (room nn/optimizer).
// TrainSettings (lab/spec) makes it, and the TrainLoop asks it before each update. With b = `warmup`, the share is (n
// + 1) / b while n < b. Schedules differ in the rest: a function of k = n - b and of the progress a = min(1, k /
// (steps - b)). Each is one file of this room that registers itself by its name in specs, with settings of its own.
#pragma once

#include <cstdint>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"

namespace fovea {

class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual void settings(Fields&) {}

  // The share of the rate at `step` of a training of `steps`, warm-up included.
  double at(std::int64_t step, std::int64_t steps, std::int64_t warmup) const;

 private:
  virtual double after_warmup(std::int64_t since, double way) const = 0;  // k, a
};

}  // namespace fovea
