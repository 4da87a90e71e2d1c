// The numbers of the laws that examples are drawn from, of tasks of which more is computed from them. A task that is a
// RaceLaw is found as one by dynamic_cast.
#pragma once

#include <span>

#include "fovea/data/batch.h"

namespace fovea {

class RegressionLaw {  // task `linear-icl`
 public:
  virtual ~RegressionLaw() = default;
  virtual int pairs() const = 0;
  virtual std::span<const double> eigenvalues() const = 0;
};

class SparseLaw {  // task `sparse-emergence`
 public:
  virtual ~SparseLaw() = default;
  virtual int positions() const = 0;
  virtual int width() const = 0;
  virtual int copies() const = 0;
};

class RaceLaw {  // task `race-product`
 public:
  virtual ~RaceLaw() = default;
  virtual const Batch& truths() const = 0;
};

}  // namespace fovea
