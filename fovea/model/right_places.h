// The places that right answers of a batch of streams need.
#pragma once

#include "fovea/data/batch.h"
#include "fovea/nn/attention/head_rule.h"

namespace fovea {

// Its patterns, or else its alignment; none where it has neither.
inline RightPlaces right_places(const Batch& batch) {
  if (batch.pattern_width > 0) return {batch.pattern, batch.pattern_width};
  return {batch.alignment, 1};
}

}  // namespace fovea
