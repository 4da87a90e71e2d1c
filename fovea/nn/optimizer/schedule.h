// The learning rate as a function of the step n, counted from 0. During warm-up, n < w, it is rate (n + 1) / w. Then,
// with k = n - w and the way gone a = min(1, k / (steps - w)):
//
//   constant   rate                        linear   rate (1 - a + floor a)
//   step       rate factor^⌊k / period⌋    cosine   rate (floor + (1 - floor) (1 + cos(π a)) / 2)
#pragma once

#include <cstdint>

namespace fovea {

struct Schedule {
  enum class Kind {
    constant,  // rate
    linear,    // from rate to rate * floor over the steps
    cosine,    // the same along half a cosine
    step,      // times `factor` after every `period` steps
  } kind = Kind::constant;
  double rate = 1e-3;
  std::int64_t steps = 1;  // linear, cosine: the step at which the floor is reached, warm-up included
  std::int64_t warmup =
      0;             // the first steps rise linearly: rate * (step + 1) / warmup; the schedule proper starts after them
  double floor = 0;  // linear, cosine: the share of the rate that is left at the end
  std::int64_t period = 1;  // step
  double factor = 0.1;      // step

  double at(std::int64_t step) const;  // step counts from 0
};

}  // namespace fovea
