// A part of a batch: the examples [begin, end) of it, as a batch of their own. Points are one example and stay whole.
#pragma once

#include "fovea/data/batch.h"

namespace fovea {

void take_rows(const Batch& batch, int begin, int end, Batch& part);

}  // namespace fovea
