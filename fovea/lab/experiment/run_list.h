// Runs in an order, as a sweep trains them.
#pragma once

#include <cstddef>
#include <string>

#include "fovea/lab/spec/resolved_run.h"

namespace fovea {

// The runs of a sweep, made when they are wanted: a million of them need not lie in memory.
class RunList {
 public:
  virtual ~RunList() = default;
  virtual std::size_t size() const = 0;
  virtual ResolvedRun at(std::size_t place) const = 0;
  virtual std::string label(std::size_t place) const = 0;  // "seed 3", what tells it from the others
};

}  // namespace fovea
