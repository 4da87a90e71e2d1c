// Task `sparse-emergence`: of T vectors of d numbers one determines the answer (room data/tasks/exact). lab/spec
// makes it by name for a run. It reads its settings and seed only. The vector is always the same one, and it may
// occur several times:
//
//   x_1 .. x_T ~ N(0, 1_d),   the last R of them one vector,   answer y = W* x_T
//
// W* is drawn from the seed, of size sum W*_ij^2 = d. The vectors are the batch's items, the R last ones are marked.
// The time until attention reaches them is computed beforehand (theory/sparse_emergence.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/exact/laws.h"

namespace fovea {

namespace {

class SparseEmergence final : public Task, public SparseLaw {
 public:
  void settings(Fields& fields) override {
    fields.integer("places", positions_, 2, 1 << 14, "vectors of an example");
    fields.integer("width", width_, 1, 1024, "numbers of a vector");
    fields.integer("copies", copies_, 1, 1 << 14,
                   "number of last positions with the vector that determines the answer");
  }

  void prepare(std::uint64_t seed) override {
    if (copies_ >= positions_)
      throw wrong_input(fmt::format("task 'sparse-emergence' has {} copies in {} positions", copies_, positions_),
                        "set task.copies to less than task.places");
    seed_ = seed;
    map_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(width_));
    RandomStream stream(seed, "sparse-emergence.map");
    double square = 0;
    for (double& x : map_) {
      x = stream.normal();
      square += x * x;
    }
    for (double& x : map_) x *= std::sqrt(width_ / square);
  }

  const SparseLaw* sparse_law() const override { return this; }
  int positions() const override { return positions_; }
  int width() const override { return width_; }
  int copies() const override { return copies_; }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = shape.value_width = width_;
    shape.most_items = positions_;
    return shape;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    batch.size = size;
    batch.items.resize(size, positions_, width_);
    batch.answers.resize(size, 1, width_);
    batch.marked.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(positions_), 0);
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "sparse-emergence", split, step, static_cast<std::uint64_t>(row));
      const int telling = positions_ - copies_;
      for (float* x = batch.items.item(row, 0); x != batch.items.item(row, telling) + width_; ++x)
        *x = static_cast<float>(stream.normal());
      const float* const told = batch.items.item(row, telling);
      for (int position = telling; position < positions_; ++position) {
        if (position > telling) std::copy_n(told, width_, batch.items.item(row, position));
        batch.marked[static_cast<std::size_t>(row) * static_cast<std::size_t>(positions_) +
                     static_cast<std::size_t>(position)] = 1;
      }
      for (int i = 0; i < width_; ++i) {
        double sum = 0;
        for (int j = 0; j < width_; ++j)
          sum += map_[static_cast<std::size_t>(i) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(j)] *
                 static_cast<double>(told[j]);
        batch.answers.item(row, 0)[i] = static_cast<float>(sum);
      }
    }
  }

 private:
  int positions_ = 32;
  int width_ = 16;
  int copies_ = 1;

  std::uint64_t seed_ = 0;
  std::vector<double> map_;  // W* (width, width)
};

const Register<Task> sparse_emergence("sparse-emergence",
                                      "one position of many determines the answer, always the same one",
                                      [] { return std::make_unique<SparseEmergence>(); });

}  // namespace

}  // namespace fovea
