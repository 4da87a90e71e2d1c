// Task `task-diversity`: regression in context, with few tasks in the training set and new tasks in the other splits
// (room data/tasks/exact). lab/spec makes it by name for a run. It reads its settings and seed only. With d = width:
//
//   w_k   of norm sqrt d, evenly over directions; k = 1 .. K,          K = diversity d     tasks
//   an example of task w:  x_1 .. x_N, x_q ~ N(0, I / d),              N = pairs d         pairs, and a query
//                          y_n = w . x_n + N(0, noise), the same for the answer y_q
//   the training set:      n examples, each of one of the K tasks,     n = samples d^2
//   validation and test:   a new task for each example
//
// The x_n are the batch's items, the y_n its values. A batch of the whole training set has its examples in their
// order, so descent is that of one fixed loss. theory/exact/task_diversity.h has the error on new tasks. (Y. M. Lu,
// M. Letey, J. A. Zavatone-Veth, A. Maiti, C. Pehlevan, Asymptotic theory of in-context learning by linear attention,
// 2024.)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/exact/laws.h"

namespace fovea {

namespace {

class TaskDiversity final : public Task, public DiversityLaw {
 public:
  void settings(Fields& fields) override {
    fields.integer("width", width_, 2, 1000, "numbers of a vector");
    fields.number("diversity", diversity_, 1e-3, 1e6, "different tasks of the training set / width");
    fields.number("pairs", pairs_, 1e-3, 1000, "pairs of an example / width");
    fields.number("samples", samples_, 1e-3, 1000, "examples of the training set / width²");
    fields.number("noise", noise_, 0, 1e6, "variance of the noise of an answer");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    constexpr std::int64_t most_kept = std::int64_t{1} << 28;  // numbers of a training set
    const std::int64_t numbers = count() * (pairs() + 1) * (width_ + 1);
    if (numbers > most_kept)
      throw wrong_input(fmt::format("a training set of {} examples takes {} numbers", count(), numbers),
                        fmt::format("task '{}' keeps at most {}", name, most_kept));
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = width_;
    shape.value_width = 1;
    shape.most_items = pairs();
    return shape;
  }

  int width() const override { return width_; }
  std::int64_t tasks() const override { return rounded(diversity_ * width_); }
  int pairs() const override { return static_cast<int>(rounded(pairs_ * width_)); }
  double noise() const override { return noise_; }

  std::int64_t examples(Split split) const override { return split == Split::train ? count() : 0; }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    if (split == Split::train && size == count()) {
      std::call_once(drawn_, [this] {  // not when only its shape is asked for
        make_room(static_cast<int>(count()), kept_);
        for (int row = 0; row < kept_.size; ++row) fill(Split::train, 0, row, row, kept_);
      });
      batch = kept_;
      return;
    }
    make_room(size, batch);
    for (int row = 0; row < size; ++row) {
      if (split != Split::train) fill(split, step, row, row, batch);
      else fill(split, 0, static_cast<int>(epoch_example(seed_, name, step, size, row, count())), row, batch);
    }
  }

 private:
  static constexpr std::string_view name = "task-diversity";

  static std::int64_t rounded(double number) { return std::max<std::int64_t>(1, std::llround(number)); }
  std::int64_t count() const { return rounded(samples_ * width_ * width_); }

  void make_room(int size, Batch& batch) const {
    batch.size = size;
    batch.items.resize_unset(size, pairs(), width_);
    batch.values.resize_unset(size, pairs(), 1);
    batch.queries.resize_unset(size, 1, width_);
    batch.answers.resize_unset(size, 1, 1);
  }

  std::vector<double> task_of(RandomStream& stream) const {
    std::vector<double> task(static_cast<std::size_t>(width_));
    double squares = 0;
    for (double& w : task) {
      w = stream.normal();
      squares += w * w;
    }
    for (double& w : task) w *= std::sqrt(width_ / squares);
    return task;
  }

  // Example `number` of a step, into a row.
  void fill(Split split, std::uint64_t step, int number, int row, Batch& batch) const {
    RandomStream stream = example_stream(seed_, name, split, step, static_cast<std::uint64_t>(number));
    RandomStream kept(seed_, "task-diversity.tasks", 0, stream.integer(static_cast<std::uint64_t>(tasks())));
    const std::vector<double> task = task_of(split == Split::train ? kept : stream);
    const auto draw = [&](float* x, float* y) {
      double sum = std::sqrt(noise_) * stream.normal();
      for (std::size_t k = 0; k < task.size(); ++k) {
        x[k] = static_cast<float>(stream.normal() / std::sqrt(width_));
        sum += task[k] * static_cast<double>(x[k]);
      }
      *y = static_cast<float>(sum);
    };
    for (int n = 0; n < pairs(); ++n) draw(batch.items.item(row, n), batch.values.item(row, n));
    draw(batch.queries.item(row, 0), batch.answers.item(row, 0));
  }

  int width_ = 16;
  double diversity_ = 1, pairs_ = 5, samples_ = 5, noise_ = 0.1;

  std::uint64_t seed_ = 0;
  mutable std::once_flag drawn_;
  mutable Batch kept_;  // the training set
};

const Register<Task> task_diversity("task-diversity",
                                    "regression in context: few tasks in training, new tasks in tests",
                                    [] { return std::make_unique<TaskDiversity>(); });

}  // namespace

}  // namespace fovea
