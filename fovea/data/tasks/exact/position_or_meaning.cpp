// Task `position-or-meaning`: pairs of vectors, and answers that attend partly by position, partly by meaning (room
// data/tasks/exact). lab/spec makes it by name for a run. An example:
//
//   x_i  = u_i 1 / sqrt d + xi_i       u = (1, -1), xi_i ~ N(0, noise^2) of d numbers; i = 1, 2
//   z_i  = xi_i . q* / sqrt d          q* ~ N(0, 1), the teacher's query
//   y_i  = sum_j [(1 - positional) softmax_j(z_i z_j) + positional A_ij] xi_j,      A = [0.6 0.4; 0.4 0.6]
//
// The x_i are the batch's items, the u_i its queries, the y_i its answers. The training set is `samples` examples; a
// batch of all of them has them in their order. The loss of each way of attending is computed in
// theory/exact/mixed_teacher.h. (H. Cui, F. Behrens, F. Krzakala, L. Zdeborova, A Phase Transition between Positional
// and Semantic Learning in a Solvable Model of Dot-Product Attention, 2024.)
#include <array>
#include <cmath>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/exact/laws.h"

namespace fovea {

namespace {

class PositionOrMeaning final : public Task, public MixedTeacherLaw {
 public:
  void settings(Fields& fields) override {
    fields.integer("width", width_, 2, 10'000, "numbers of a vector");
    fields.integer("samples", samples_, 0, 100'000, "examples in the training set; 0: always fresh ones");
    fields.number("noise", noise_, 1e-3, 100, "standard deviation of the content of a vector");
    fields.number("positional", positional_, 0, 1, "share of the answer that attends by position");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    teacher_.resize(static_cast<std::size_t>(width_));
    RandomStream stream(seed, "position-or-meaning");
    for (float& q : teacher_) q = static_cast<float>(stream.normal());
    const auto count = static_cast<int>(samples_);
    make_room(count, kept_);
    for (int row = 0; row < count; ++row) fill(Split::train, 0, row, row, kept_);
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = shape.value_width = width_;
    shape.query_width = 1;
    shape.most_items = 2;
    return shape;
  }

  double noise() const override { return noise_; }
  double positional() const override { return positional_; }
  std::span<const float> teacher() const override { return teacher_; }

  std::int64_t examples(Split split) const override { return split == Split::train ? samples_ : 0; }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    if (split == Split::train && size == samples_) {
      batch = kept_;
      return;
    }
    make_room(size, batch);
    for (int row = 0; row < size; ++row) {
      if (split != Split::train || samples_ == 0) fill(split, step, row, row, batch);
      else fill(split, 0, static_cast<int>(epoch_example(seed_, name, step, size, row, samples_)), row, batch);
    }
  }

 private:
  static constexpr std::string_view name = "position-or-meaning";

  void make_room(int size, Batch& batch) const {
    batch.size = size;
    batch.items.resize_unset(size, 2, width_);
    batch.queries.resize_unset(size, 2, 1);
    batch.answers.resize_unset(size, 2, width_);
  }

  // Example `number` of a step, into a row.
  void fill(Split split, std::uint64_t step, int number, int row, Batch& batch) const {
    RandomStream stream = example_stream(seed_, name, split, step, static_cast<std::uint64_t>(number));
    const std::array<float*, 2> x{batch.items.item(row, 0), batch.items.item(row, 1)},
        y{batch.answers.item(row, 0), batch.answers.item(row, 1)};
    std::array<double, 2> z{};
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t k = 0; k < teacher_.size(); ++k) {
        x[i][k] = static_cast<float>(noise_ * stream.normal());
        z[i] += static_cast<double>(x[i][k]) * static_cast<double>(teacher_[k]) / std::sqrt(width_);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const double own = teacher_weight(positional_, z[i], z[1 - i]);
      for (std::size_t k = 0; k < teacher_.size(); ++k)
        y[i][k] = static_cast<float>(own * static_cast<double>(x[i][k]) + (1 - own) * static_cast<double>(x[1 - i][k]));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const double sign = i == 0 ? 1 : -1;
      *batch.queries.item(row, static_cast<int>(i)) = static_cast<float>(sign);
      for (std::size_t k = 0; k < teacher_.size(); ++k) x[i][k] += static_cast<float>(sign / std::sqrt(width_));
    }
  }

  int width_ = 200;
  std::int64_t samples_ = 400;
  double noise_ = 0.5, positional_ = 0.3;

  std::uint64_t seed_ = 0;
  std::vector<float> teacher_;
  Batch kept_;  // the training set
};

const Register<Task> position_or_meaning(
    "position-or-meaning", "pairs of vectors; the answer attends partly by position and partly by meaning",
    [] { return std::make_unique<PositionOrMeaning>(); });

}  // namespace

}  // namespace fovea
