// Task `product`: find the outer product of three vectors a*, b*, c* of n numbers, all of them 1 (room
// data/tasks/exact). lab/spec makes it by name for a run of model `product`. Nothing is drawn: every batch and every
// split is this one. Ones are no special case: turning a vector turns its descent with it, and the law of the model's
// start has no direction.
#include <algorithm>

#include "fovea/base/registry.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

class Product final : public Task {
 public:
  void settings(Fields& fields) override { fields.integer("width", width_, 2, 100'000, "numbers of each vector"); }

  void prepare(std::uint64_t) override {}

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = 1;
    shape.value_width = width_;
    shape.most_items = 1;
    return shape;
  }

  void batch(Split, std::uint64_t, int, Batch& batch) const override {
    batch.size = 1;
    batch.items.resize(1, 1, 1);
    batch.answers.resize(1, 3, width_);
    std::fill(batch.answers.values.begin(), batch.answers.values.end(), 1.0f);
  }

 private:
  int width_ = 20;
};

const Register<Task> product_task("product", "the outer product of three vectors",
                                  [] { return std::make_unique<Product>(); });

}  // namespace

}  // namespace fovea
