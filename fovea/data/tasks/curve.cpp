// Task `curve`: predict a curve from noisy points (room data/tasks). lab/spec makes it by name for a run. It reads
// its settings and seed only.
//
// x is drawn from U(0, 5), y = 2 sin x + x^0.8 + N(0, noise). In more dimensions y is the mean of that curve over the
// coordinates. A seed is one set of points, and every batch has all of it. Training asks at the points themselves
// (the answers are their noisy values). Validation asks at fresh positions and the test on a grid of 0.1, both for
// the noiseless truth.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

constexpr double range = 5;
constexpr int grid_points = 50;  // 0, 0.1, … 4.9
constexpr std::int64_t most_numbers = 1 << 28;

class Curve final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("points", points_, 1, 10'000'000, "points to learn from");
    fields.integer("width", width_, 1, 10'000, "dimensions of a point");
    fields.integer("queries", queries_, 0, 10'000'000,
                   "queries of the test; 0: a grid of 0.1 in one dimension, otherwise as many as points");
    fields.number("noise", noise_, 0, 1e6, "standard deviation of the noise on y");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    if (std::int64_t{std::max(points_, queries_)} * width_ > most_numbers)
      throw wrong_input(
          fmt::format("{} points of {} dimensions do not fit into memory", std::max(points_, queries_), width_),
          fmt::format("task 'curve' takes at most {} numbers", most_numbers));
    keys_.resize(static_cast<std::size_t>(points_) * static_cast<std::size_t>(width_));
    values_.resize(static_cast<std::size_t>(points_));
    RandomStream positions = example_stream(seed, "curve", Split::train, 0, 0);
    RandomStream noise(seed, "curve.noise");
    position(positions, keys_);
    for (int i = 0; i < points_; ++i) {
      const double truth = curve(keys_.data() + std::ptrdiff_t{i} * width_);
      values_[static_cast<std::size_t>(i)] = static_cast<float>(truth + noise_ * noise.normal());
    }
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = width_;
    shape.value_width = 1;
    return shape;
  }

  void batch(Split split, std::uint64_t, int, Batch& batch) const override {
    batch.size = 1;
    batch.items.resize(1, points_, width_);
    batch.values.resize(1, points_, 1);
    std::copy(keys_.begin(), keys_.end(), batch.items.values.begin());
    std::copy(values_.begin(), values_.end(), batch.values.values.begin());
    if (split == Split::train) {
      batch.queries = batch.items;
      batch.answers = batch.values;
      return;
    }
    const bool grid = split == Split::test && width_ == 1 && queries_ == 0;
    const int asked = grid ? grid_points : queries_ > 0 ? queries_ : points_;
    batch.queries.resize(1, asked, width_);
    batch.answers.resize(1, asked, 1);
    RandomStream positions = example_stream(seed_, "curve", split, 0, 0);
    if (grid) {
      for (int j = 0; j < asked; ++j) *batch.queries.item(0, j) = static_cast<float>(j) / 10.0f;
    } else {
      position(positions, batch.queries.values);
    }
    for (int j = 0; j < asked; ++j) *batch.answers.item(0, j) = static_cast<float>(curve(batch.queries.item(0, j)));
  }

 private:
  static void position(RandomStream& stream, std::vector<float>& out) {
    for (float& x : out) x = static_cast<float>(stream.uniform(0, range));
  }

  double curve(const float* x) const {
    double sum = 0;
    for (int j = 0; j < width_; ++j) {
      const auto xj = static_cast<double>(x[j]);
      sum += 2 * math::sin(xj) + math::pow(xj, 0.8);
    }
    return sum / width_;
  }

  int points_ = 50;
  int width_ = 1;
  int queries_ = 0;
  double noise_ = 0.5;

  std::uint64_t seed_ = 0;
  std::vector<float> keys_;    // (points, width)
  std::vector<float> values_;  // (points)
};

const Register<Task> curve_task("curve", "noisy points of 2 sin x + x^0.8, asked for the curve",
                                [] { return std::make_unique<Curve>(); });

}  // namespace

}  // namespace fovea
