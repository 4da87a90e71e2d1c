// Random keys, values and queries, for the tests of pooling.
#pragma once

#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea::testing {

inline Items items_of(const std::vector<float>& values, int width) {
  Items items;
  items.resize(1, static_cast<int>(values.size()) / width, width);
  items.values = values;
  return items;
}

inline Batch random_points(int n, int m, int width, int value_width, double scale = 1) {
  Batch batch;
  batch.size = 1;
  batch.items = items_of(random_values<float>(1, n * width, scale), width);
  batch.values = items_of(random_values<float>(2, n * value_width), value_width);
  batch.queries = items_of(random_values<float>(3, m * width, scale), width);
  batch.answers = items_of(random_values<float>(4, m * value_width), value_width);
  return batch;
}

inline TaskShape points_shape(int width, int value_width) {
  TaskShape shape;
  shape.kind = Kind::points;
  shape.width = width;
  shape.value_width = value_width;
  return shape;
}

inline ValueTable similarity(const std::string& name, ValueTable others = {}) {
  others["similarity"] = word(name);
  return others;
}

}  // namespace fovea::testing
