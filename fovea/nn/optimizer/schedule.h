// The learning rate as a function of the step n, counted from 0, as a share of its full height. During warm-up, n < w,
// it is (n + 1) / w. What comes after is what schedules differ in: a function of k = n - w and of the way gone
// a = min(1, k / (steps - w)). Each is one file of this room that registers itself by the name that a spec has, with
// settings of its own.
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
