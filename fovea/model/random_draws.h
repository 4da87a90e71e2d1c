// HasDraws: the interface of models that draw random numbers in a training pass (room model). The model `glimpse`
// implements it. lab/train/engine_gradients.cpp asks for it.
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
