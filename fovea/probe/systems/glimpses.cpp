// Probe `glimpses`: the error after each glimpse at an image, and the positions of the glimpses (room probe/systems).
// The Evaluator (lab/train) calls it at each evaluation of model `glimpse`. For glimpse t = 1, 2, … of T:
//
//   error_after_t       share of the images whose class would be wrong after it
//   distance_t          from the middle of its pixels to the middle of the marked pixels, in image sides; the mean
//   on_digit_t          share of its pixels inside the smallest rectangle of the marked pixels; the mean
//   error               error_after_T
//   distance, on_digit  means over the glimpses after the first, whose position nothing can choose
//
// Distances and shares exist only for tasks that mark the answer.
#include <cmath>
#include <numeric>

#include "fovea/base/functions/functions.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class GlimpsesProbe final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "glimpses");
    need_kind(shape.kind, Kind::labelled_vectors, "glimpses");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Index glimpses = evaluation.outcome.attention.size(1);
    if (evaluation.outcome.attention.empty() || evaluation.batch.size == 0) return;
    if (evaluation.outcome.scores.size(0) == glimpses * evaluation.batch.size) measure_errors(evaluation, readings);
    if (!evaluation.batch.marked.empty()) measure_positions(evaluation, readings);
  }

 private:
  struct Middle {
    double x = 0, y = 0, weight = 0;
    void add(Index pixel, Index side, double share) {
      x += share * (static_cast<double>(pixel % side) + 0.5);
      y += share * (static_cast<double>(pixel / side) + 0.5);
      weight += share;
    }
  };

  static void measure_errors(const Evaluation& evaluation, Readings& readings) {
    const Index images = evaluation.batch.size, glimpses = evaluation.outcome.attention.size(1);
    for (Index t = 0; t < glimpses; ++t) {
      double wrong = 0;
      for (Index b = 0; b < images; ++b)
        wrong += argmax(evaluation.outcome.scores[b * glimpses + t].flat()) !=
                 evaluation.batch.labels[static_cast<std::size_t>(b)];
      readings.number("error_after_" + std::to_string(t + 1), wrong / static_cast<double>(images));
      if (t + 1 == glimpses) readings.number("error", wrong / static_cast<double>(images));
    }
  }

  static void measure_positions(const Evaluation& evaluation, Readings& readings) {
    const Cube<const float> attention = evaluation.outcome.attention;
    const Index images = attention.size(0), glimpses = attention.size(1), pixels = attention.size(2);
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(pixels))));
    std::vector<double> distance(static_cast<std::size_t>(glimpses)), on_digit(distance);
    double counted = 0;
    for (Index b = 0; b < images; ++b) {
      const std::uint8_t* const marked = evaluation.batch.marked.data() + b * pixels;
      Middle right;
      for (Index i = 0; i < pixels; ++i)
        if (marked[i]) right.add(i, side, 1);
      if (right.weight == 0) continue;
      ++counted;
      for (Index t = 0; t < glimpses; ++t) {
        const float* const weights = attention.data() + (b * glimpses + t) * pixels;
        Middle seen;
        double inside = 0;
        for (Index i = 0; i < pixels; ++i) {
          if (weights[i] == 0) continue;
          seen.add(i, side, static_cast<double>(weights[i]));
          if (marked[i]) inside += static_cast<double>(weights[i]);
        }
        const auto at = static_cast<std::size_t>(t);
        on_digit[at] += inside;
        distance[at] +=
            math::hypot(seen.x / seen.weight - right.x / right.weight, seen.y / seen.weight - right.y / right.weight) /
            static_cast<double>(side);
      }
    }
    if (counted > 0) {
      write_means("distance", distance, counted, readings);
      write_means("on_digit", on_digit, counted, readings);
    }
  }

  static void write_means(const std::string& name, const std::vector<double>& sums, double counted,
                          Readings& readings) {
    for (std::size_t t = 0; t < sums.size(); ++t)
      readings.number(name + "_" + std::to_string(t + 1), sums[t] / counted);
    if (sums.size() > 1)
      readings.number(
          name, std::accumulate(sums.begin() + 1, sums.end(), 0.0) / counted / static_cast<double>(sums.size() - 1));
  }
};

const Register<Probe> glimpses_probe("glimpses", "the error after each glimpse, and its distance from the digit",
                                     [] { return std::make_unique<GlimpsesProbe>(); });

}  // namespace

}  // namespace fovea
