// Interfaces of tasks whose course or end is computed: the numbers of their distributions (room data/tasks/exact).
// theory/exact and probes find them by dynamic_cast.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/base/functions/functions.h"
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

class MixedTeacherLaw {  // task `position-or-meaning`
 public:
  virtual ~MixedTeacherLaw() = default;
  virtual double noise() const = 0;
  virtual double positional() const = 0;
  virtual std::span<const float> teacher() const = 0;  // q*
};

class DiversityLaw {  // task `task-diversity`
 public:
  virtual ~DiversityLaw() = default;
  virtual int width() const = 0;
  virtual std::int64_t tasks() const = 0;  // different ones, of the training set
  virtual int pairs() const = 0;           // of an example
  virtual double noise() const = 0;        // a variance
};

// The weight of a vector on itself in its answer: z of itself, and of the other.
inline double teacher_weight(double positional, double own, double other) {
  constexpr double by_position = 0.6;
  return (1 - positional) / (1 + math::exp(own * other - own * own)) + positional * by_position;
}

}  // namespace fovea
