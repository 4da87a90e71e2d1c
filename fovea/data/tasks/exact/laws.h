// RegressionLaw and SparseLaw: the parameters of the laws of `linear-icl` and `sparse-emergence` (room
// data/tasks/exact). These tasks implement them. theory/exact/exact_prediction.cpp and the probe `sparse-flow`
// compute predictions from them.
#pragma once

#include <span>

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

}  // namespace fovea
