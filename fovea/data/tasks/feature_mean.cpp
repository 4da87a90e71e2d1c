// Task `feature-mean`: find the features that matter (room data/tasks). lab/spec makes it by name for a run. It reads
// its settings and seed only. The label is whether the mean of the informative ones of D features is above its
// median.
//
// Features are i.i.d. and symmetric about 0 (normal, or uniform on [-1, 1)), so the median of any mean of them is
// exactly 0.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

constexpr std::int64_t most_stored = 1 << 28;  // numbers of a fixed training set: one gibibyte

class FeatureMean final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("width", width_, 1, 1'000'000, "features");
    fields.integer("informative", informative_, 1, 1'000'000,
                   "number of features that determine the label: the first ones");
    fields.integers("features", features_, 0, 999'999,
                    "features that determine the label, from 0 (instead of informative)");
    fields.choice("draws", draws_, {{"normal", Draws::normal}, {"uniform", Draws::uniform}},
                  "distribution of a feature: N(0, 1), or uniform on [-1, 1)");
    fields.integer("samples", samples_, 0, 100'000'000,
                   "training examples, gone through in shuffled epochs; 0: every batch is fresh");
    fields.integer("held_out", held_out_, 1, 100'000'000,
                   "validation examples, and as many for the test (with samples)");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    chosen_ = features_;
    if (chosen_.empty()) {
      if (informative_ > width_)
        throw wrong_input(fmt::format("task 'feature-mean' has {} informative features of {}", informative_, width_),
                          "set informative to at most width");
      for (int j = 0; j < informative_; ++j) chosen_.push_back(j);
    }
    std::sort(chosen_.begin(), chosen_.end());
    if (chosen_.back() >= width_)
      throw wrong_input(
          fmt::format("task 'feature-mean' has no feature {}: its {} features count from 0", chosen_.back(), width_),
          "name features below width");
    if (std::adjacent_find(chosen_.begin(), chosen_.end()) != chosen_.end())
      throw wrong_input("features of task 'feature-mean' names a feature twice", "name each feature once");

    if (samples_ > most_stored / width_)
      throw wrong_input(fmt::format("{} examples of {} features do not fit into memory", samples_, width_),
                        fmt::format("set samples of task 'feature-mean' to at most {}", most_stored / width_));
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::labelled_vectors;
    shape.width = width_;
    shape.classes = 2;
    return shape;
  }

  std::int64_t examples(Split split) const override {
    return samples_ == 0 ? 0 : split == Split::train ? samples_ : held_out_;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    Slice slice{0, size};
    if (samples_ > 0 && split != Split::train) slice = slice_of(held_out_, step, size);
    const auto width = static_cast<std::size_t>(width_);
    batch.size = slice.size;
    const bool kept = samples_ > 0 && split == Split::train;
    if (kept) batch.items.resize_lines(slice.size, 1, width_);
    else batch.items.resize_unset(slice.size, 1, width_);
    batch.labels.resize(static_cast<std::size_t>(slice.size));
    batch.marked.assign(static_cast<std::size_t>(slice.size) * width, 0);
    for (int row = 0; row < slice.size; ++row) {
      if (kept) {
        const std::int64_t i = epoch_example(seed_, "feature-mean.order", step, size, row, samples_);
        batch.items.lines[static_cast<std::size_t>(row)] = stored().data() + i * width_;
      } else if (samples_ > 0) {
        draw(split, 0, slice.begin + row, batch.items.item(row, 0));
      } else {
        draw(split, step, row, batch.items.item(row, 0));
      }
      const float* const x = std::as_const(batch.items).item(row, 0);
      double sum = 0;
      for (const int j : chosen_) {
        sum += static_cast<double>(x[j]);
        batch.marked[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(j)] = 1;
      }
      batch.labels[static_cast<std::size_t>(row)] = sum > 0 ? 1 : 0;
    }
  }

  std::string word(int feature) const override { return "x[" + std::to_string(feature) + "]"; }
  std::string class_name(int label) const override { return label == 1 ? "above" : "below"; }

 private:
  enum class Draws { normal, uniform };

  // The training examples are drawn when the first batch of them is asked for: who only checks a spec needs none.
  const std::vector<float>& stored() const {
    std::call_once(drawn_, [&] {
      stored_.resize(static_cast<std::size_t>(samples_ * width_));
      for (std::int64_t i = 0; i < samples_; ++i) draw(Split::train, 0, i, stored_.data() + i * width_);
    });
    return stored_;
  }

  void draw(Split split, std::uint64_t step, std::int64_t row, float* x) const {
    RandomStream stream = example_stream(seed_, "feature-mean", split, step, static_cast<std::uint64_t>(row));
    for (int j = 0; j < width_; ++j)
      x[j] = static_cast<float>(draws_ == Draws::normal ? stream.normal() : stream.uniform(-1, 1));
  }

  int width_ = 20;
  int informative_ = 2;
  std::vector<int> features_;
  Draws draws_ = Draws::normal;
  std::int64_t samples_ = 0;
  std::int64_t held_out_ = 2000;

  std::uint64_t seed_ = 0;
  std::vector<int> chosen_;  // sorted
  mutable std::once_flag drawn_;
  mutable std::vector<float> stored_;  // (samples, width)
};

const Register<Task> feature_mean_task("feature-mean", "is the mean of a few of the features above its median?",
                                       [] { return std::make_unique<FeatureMean>(); });

}  // namespace

}  // namespace fovea
