// Sample: a part of the examples, spread over all of them (room theory). cooccurrence.cpp and
// theory/prediction/candidates.h use it. It reads no data. Of every `stride` neighbours one is taken, drawn for each
// such group anew. Data often alternate (a line of one class, a line of the other), so every k-th example could be of
// one class alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fovea/base/random.h"

namespace fovea {

class Sample {
 public:
  // At most `most` of them, and none left out where there are no more.
  Sample(std::int64_t examples, std::int64_t most) : stride_(std::max<std::int64_t>(1, (examples + most - 1) / most)) {}

  std::int64_t stride() const { return stride_; }
  bool takes(std::int64_t number) const {
    if (stride_ == 1) return true;
    RandomStream draws(0, "sample", 0, static_cast<std::uint64_t>(number / stride_));
    return number % stride_ == static_cast<std::int64_t>(draws.integer(static_cast<std::uint64_t>(stride_)));
  }

 private:
  std::int64_t stride_;
};

}  // namespace fovea
