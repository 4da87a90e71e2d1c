// The numbers of the laws that examples are drawn from, of tasks of which more is computed from them.
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
