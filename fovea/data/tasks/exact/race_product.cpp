// Task `race-product`: four vectors a*, b*, c* (n) and d* (m) of normal numbers, of which model `race-product` is to
// find the outer products a*b*c* and d*b*c* (room data/tasks/exact). lab/spec makes it by name for a run. a*, b*, c*
// are the batch's answers, d* its one item. There is nothing else to draw: every batch and every split is this one.
// What is computed from them is theory/exact/race_product.h.
#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/exact/laws.h"

namespace fovea {

namespace {

class RaceProduct final : public Task, public RaceLaw {
 public:
  void settings(Fields& fields) override {
    fields.integer("width", width_, 2, 100'000, "numbers of a, b and c each");
    fields.integer("rival_width", rival_width_, 2, 100'000, "numbers of d");
  }

  void prepare(std::uint64_t seed) override {
    all_.size = 1;
    all_.items.resize(1, 1, rival_width_);
    all_.answers.resize(1, 3, width_);
    RandomStream stream(seed, "race-product");
    for (float& x : all_.answers.values) x = static_cast<float>(stream.normal());
    for (float& x : all_.items.values) x = static_cast<float>(stream.normal());
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = rival_width_;
    shape.value_width = width_;
    shape.most_items = 1;
    return shape;
  }

  void batch(Split, std::uint64_t, int, Batch& batch) const override { batch = all_; }

  const Batch& truths() const override { return all_; }

 private:
  int width_ = 20, rival_width_ = 160;
  Batch all_;
};

const Register<Task> race_product_task("race-product", "two outer products that share two of their three vectors",
                                       [] { return std::make_unique<RaceProduct>(); });

}  // namespace

}  // namespace fovea
