// Copies the examples [begin, end) of a batch into a batch of their own (room data). The shards of parallel training
// (lab/ranks/shards.cpp) call it. Points are one example and stay whole.
#pragma once

#include "fovea/data/batch.h"

namespace fovea {

void take_rows(const Batch& batch, int begin, int end, Batch& part);

}  // namespace fovea
