// Task `linear-icl`: regression in context (room data/tasks/exact). lab/spec makes it by name for a run. It reads its
// settings and seed only. Each example has a linear map of its own, N pairs of it and one query:
//
//   w ~ N(0, 1),   x_1 .. x_N, x_q ~ N(0, diag(eigenvalues)),   y_n = w . x_n,   answer w . x_q
//
// The x_n are the batch's items, the y_n its values. The training set is `sequences` examples. A batch of all of them
// has them in their order, so descent is that of one fixed loss. The course of linear attention on them is computed
// beforehand (theory/exact/linear_icl.h).
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/exact/laws.h"

namespace fovea {

namespace {

constexpr std::int64_t most_kept = std::int64_t{1} << 28;  // numbers of a training set

class LinearIcl final : public Task, public RegressionLaw {
 public:
  void settings(Fields& fields) override {
    fields.integer("pairs", pairs_, 1, 10'000, "pairs of an example");
    fields.numbers("eigenvalues", eigenvalues_, "variances of the inputs, one for each dimension");
    fields.integer("sequences", sequences_, 0, 10'000'000, "examples in the training set; 0: always fresh ones");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    if (eigenvalues_.empty())
      throw wrong_input("task 'linear-icl' has no dimensions", "give task.eigenvalues one number for each dimension");
    for (const double value : eigenvalues_)
      if (!(value > 0 && value <= 1e6))
        throw wrong_input(fmt::format("task 'linear-icl' has an eigenvalue of {}", value),
                          "give numbers above 0, up to 1e6");
    const std::int64_t numbers = sequences_ * (pairs_ + 1) * (std::ssize(eigenvalues_) + 1);
    if (numbers > most_kept)
      throw wrong_input(fmt::format("a training set of {} examples takes {} numbers", sequences_, numbers),
                        fmt::format("task 'linear-icl' keeps at most {}", most_kept));
    const auto count = static_cast<int>(sequences_);
    make_room(count, kept_);
    for (int row = 0; row < count; ++row) fill(Split::train, 0, row, row, kept_);
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = width();
    shape.value_width = 1;
    shape.most_items = pairs_;
    return shape;
  }

  const RegressionLaw* regression_law() const override { return this; }
  int pairs() const override { return pairs_; }
  std::span<const double> eigenvalues() const override { return eigenvalues_; }

  std::int64_t examples(Split split) const override { return split == Split::train ? sequences_ : 0; }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    if (split == Split::train && size == sequences_) {
      batch = kept_;
      return;
    }
    make_room(size, batch);
    for (int row = 0; row < size; ++row) {
      if (split != Split::train || sequences_ == 0) fill(split, step, row, row, batch);
      else
        fill(split, 0, static_cast<int>(epoch_example(seed_, "linear-icl", step, size, row, sequences_)), row, batch);
    }
  }

 private:
  int width() const { return static_cast<int>(eigenvalues_.size()); }

  void make_room(int size, Batch& batch) const {
    batch.size = size;
    batch.items.resize(size, pairs_, width());
    batch.values.resize(size, pairs_, 1);
    batch.queries.resize(size, 1, width());
    batch.answers.resize(size, 1, 1);
  }

  // Example `number` of a step, into a row.
  void fill(Split split, std::uint64_t step, int number, int row, Batch& batch) const {
    RandomStream stream = example_stream(seed_, "linear-icl", split, step, static_cast<std::uint64_t>(number));
    std::vector<double> map(eigenvalues_.size());
    for (double& w : map) w = stream.normal();
    const auto draw = [&](float* x, float* y) {
      double sum = 0;
      for (std::size_t d = 0; d < map.size(); ++d) {
        const double value = std::sqrt(eigenvalues_[d]) * stream.normal();
        x[d] = static_cast<float>(value);
        sum += map[d] * value;
      }
      *y = static_cast<float>(sum);
    };
    for (int n = 0; n < pairs_; ++n) draw(batch.items.item(row, n), batch.values.item(row, n));
    draw(batch.queries.item(row, 0), batch.answers.item(row, 0));
  }

  int pairs_ = 31;
  std::vector<double> eigenvalues_{0.25, 0.25, 0.25, 0.25};
  std::int64_t sequences_ = 5000;

  std::uint64_t seed_ = 0;
  Batch kept_;  // the training set
};

const Register<Task> linear_icl("linear-icl", "each example has its own linear map, given by pairs and a query",
                                [] { return std::make_unique<LinearIcl>(); });

}  // namespace

}  // namespace fovea
