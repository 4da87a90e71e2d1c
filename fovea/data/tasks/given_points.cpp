// Task `given-points`: points that the spec itself contains (room data/tasks). lab/spec makes it by name for a run.
// It reads its settings and seed only.
//
// Every batch has all points, and every split asks at the points themselves: values between them are not known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/registry.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

constexpr std::size_t most_points = 100'000;
constexpr double most = 1e12;  // squares of differences times the largest w still fit

class GivenPoints final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.numbers("x", x_, "x of each point");
    fields.numbers("y", y_, "y of each point");
  }

  void prepare(std::uint64_t) override {
    if (x_.size() != y_.size())
      throw wrong_input(fmt::format("there are {} x and {} y", x_.size(), y_.size()), "give each point an x and a y");
    if (x_.size() < 2)
      throw wrong_input(fmt::format("there {}", x_.empty() ? "are no points" : "is one point"),
                        "give two or more, as task.x and task.y");
    if (x_.size() > most_points)
      throw wrong_input(fmt::format("there are {} points", x_.size()),
                        fmt::format("task 'given-points' takes at most {}", most_points));
    for (std::size_t i = 0; i < x_.size(); ++i)
      if (!(std::abs(x_[i]) <= most && std::abs(y_[i]) <= most))
        throw wrong_input(fmt::format("point {} is ({}, {})", i + 1, x_[i], y_[i]),
                          fmt::format("give numbers between -{0} and {0}", most));
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = shape.value_width = 1;
    return shape;
  }

  void batch(Split, std::uint64_t, int, Batch& batch) const override {
    const auto count = static_cast<int>(x_.size());
    batch.size = 1;
    batch.items.resize(1, count, 1);
    batch.values.resize(1, count, 1);
    const auto narrow = [](double x) { return static_cast<float>(x); };
    std::transform(x_.begin(), x_.end(), batch.items.values.begin(), narrow);
    std::transform(y_.begin(), y_.end(), batch.values.values.begin(), narrow);
    batch.queries = batch.items;
    batch.answers = batch.values;
  }

 private:
  std::vector<double> x_, y_;
};

const Register<Task> given_points_task("given-points", "points of the spec, each answered from the others",
                                       [] { return std::make_unique<GivenPoints>(); });

}  // namespace

}  // namespace fovea
