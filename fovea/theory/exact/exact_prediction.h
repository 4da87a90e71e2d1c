// What is computed of a task before a model is trained, where its law is simple enough: the heights at which a loss
// rests, and times of gradient flow.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/task.h"

namespace fovea {

struct ExactPrediction {
  struct Figure {
    std::string name, says;
    double value = 0;
  };
  std::vector<Figure> heights, times;
  bool empty() const { return heights.empty() && times.empty(); }
};

// Of tasks `linear-icl` (theory/exact/linear_icl.h) and `sparse-emergence` (theory/sparse_emergence.h); of others
// empty.
ExactPrediction predict_exact(const Task& task);

}  // namespace fovea
