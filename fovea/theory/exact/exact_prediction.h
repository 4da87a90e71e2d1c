// Computes plateaus and times of gradient flow of a task before a model is trained, if the law of the task is simple
// enough (room theory/exact). Pure functions. `fovea predict` and the probe `closed-form` call it.
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
  std::string heights_are = "Loss plateaus";  // or "Errors"
  std::vector<Figure> heights, times, numbers;
  bool empty() const { return heights.empty() && times.empty(); }
};

// Of tasks `linear-icl` (theory/exact/linear_icl.h), `sparse-emergence` (theory/sparse_emergence.h), `race-product`
// (theory/exact/race_product.h), `position-or-meaning` (theory/exact/mixed_teacher.h) and `task-diversity`
// (theory/exact/task_diversity.h); of others empty.
ExactPrediction predict_exact(const Task& task);

}  // namespace fovea
