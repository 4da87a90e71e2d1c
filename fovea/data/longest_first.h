// Examples in the order of their lengths. A recurrent net goes on, step by step, with those of its rows that are not
// over yet: where the longest come first these are the first few, and padding costs nothing.
#pragma once

#include <vector>

#include "fovea/data/batch.h"

namespace fovea {

class LongestFirst {
 public:
  // Longest source first, among equals longest target; else the order stays. Keeps its memory from batch to batch.
  void arrange(Batch& batch);

 private:
  std::vector<int> order_;
};

}  // namespace fovea
