#include "fovea/nn/optimizer/schedule.h"

#include <algorithm>
#include <cassert>

namespace fovea {

double Schedule::at(std::int64_t step, std::int64_t steps, std::int64_t warmup) const {
  assert(step >= 0);
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup);
  const std::int64_t since = step - warmup;
  return after_warmup(since, std::min(1.0, static_cast<double>(since) /
                                               static_cast<double>(std::max<std::int64_t>(steps - warmup, 1))));
}

}  // namespace fovea
