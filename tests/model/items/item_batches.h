// Random batches of vectors and of bags, for the tests of the models that take them.
#pragma once

#include "fovea/base/random.h"
#include "fovea/data/batch.h"
#include "fovea/data/task.h"
#include "tests/nn/gradient_check.h"

namespace fovea::testing {

// Bags of 1 to `most` items, all of `most` where they should not differ; the first item of each is marked.
inline Batch random_bags(std::uint64_t seed, int bags, int most, int width, int classes, bool differ) {
  Batch batch;
  batch.size = bags;
  batch.items.resize(bags, most, width);
  RandomStream stream(seed, "test.bags");
  for (int b = 0; b < bags; ++b) {
    const int length = differ ? 1 + static_cast<int>(stream.integer(static_cast<std::uint64_t>(most))) : most;
    batch.items.lengths[static_cast<std::size_t>(b)] = length;
    for (int s = 0; s < length; ++s)
      for (int i = 0; i < width; ++i) batch.items.item(b, s)[i] = static_cast<float>(stream.normal());
    batch.labels.push_back(static_cast<int>(stream.integer(static_cast<std::uint64_t>(classes))));
    for (int s = 0; s < most; ++s) batch.marked.push_back(s == 0);
  }
  return batch;
}

inline TaskShape bag_shape(const Batch& batch, int classes) {
  TaskShape shape;
  shape.kind = Kind::labelled_bags;
  shape.width = batch.items.width;
  shape.classes = classes;
  shape.most_items = batch.items.columns;
  return shape;
}

// Vectors whose first two features are marked.
inline Batch random_vectors(std::uint64_t seed, int rows, int width, int classes) {
  Batch batch = random_bags(seed, rows, 1, width, classes, false);
  batch.marked.clear();
  for (int b = 0; b < rows; ++b)
    for (int i = 0; i < width; ++i) batch.marked.push_back(i < 2);
  return batch;
}

inline TaskShape vector_shape(const Batch& batch, int classes) {
  TaskShape shape;
  shape.kind = Kind::labelled_vectors;
  shape.width = batch.items.width;
  shape.classes = classes;
  return shape;
}

// The examples of `batch` in another order, or some of them.
inline Batch rows_of(const Batch& batch, const std::vector<int>& rows) {
  Batch out;
  out.size = static_cast<int>(rows.size());
  out.items.resize(out.size, batch.items.columns, batch.items.width);
  const std::size_t marks = batch.marked.size() / static_cast<std::size_t>(batch.size);
  for (int b = 0; b < out.size; ++b) {
    const auto from = static_cast<std::size_t>(rows[static_cast<std::size_t>(b)]);
    std::copy_n(batch.items.item(static_cast<int>(from), 0), batch.items.columns * batch.items.width,
                out.items.item(b, 0));
    out.items.lengths[static_cast<std::size_t>(b)] = batch.items.lengths[from];
    out.labels.push_back(batch.labels[from]);
    for (std::size_t s = 0; s < marks; ++s) out.marked.push_back(batch.marked[from * marks + s]);
  }
  return out;
}

}  // namespace fovea::testing
