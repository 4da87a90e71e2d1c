// Models that draw in a training pass beside the data.
#pragma once

#include "fovea/model/trace.h"

namespace fovea {

class HasDraws {
 public:
  virtual ~HasDraws() = default;
  // All that the pass draws, for whoever repeats it elsewhere.
  virtual Cube<double> draws(Compute& compute, const Batch& batch, const Pass& pass) const = 0;
};

}  // namespace fovea
