// Probe `pooling_view`: the points, the truth and the prediction of pooling in one dimension, and the attention (room
// probe/systems). The Evaluator (lab/train) calls it at the last evaluation; it changes nothing. Queries and keys are
// in the order of their coordinates. The figure kinds "xy" and "heatmap" draw it.
#include <algorithm>
#include <numeric>
#include <vector>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

// Places in ascending order of value.
std::vector<std::size_t> order_of(const std::vector<float>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

class PoolingView : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::points, "pooling_view");
    if (shape.width != 1 || shape.value_width != 1) {
      throw wrong_input("probe 'pooling_view' needs a task with one number per key and per value",
                        "remove the probe, or set width to 1");
    }
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (!evaluation.last) return;
    const std::vector<float>&x = evaluation.batch.queries.values, &keys = evaluation.batch.items.values;
    const std::vector<std::size_t> rows = order_of(x), columns = order_of(keys);
    const auto put = [&](const std::string& name, const std::vector<std::size_t>& order, std::span<const float> from) {
      if (from.size() != order.size()) return;
      std::vector<float> sorted;
      for (const std::size_t i : order) sorted.push_back(from[i]);
      readings.array(name, {static_cast<Index>(sorted.size())}, sorted);
    };
    put("x", rows, x);
    put("prediction", rows, evaluation.outcome.predictions.flat());
    put("truth", rows, evaluation.batch.answers.values);
    put("points_x", columns, keys);
    put("points_y", columns, evaluation.batch.values.values);

    const Cube<const float> attention = evaluation.outcome.attention;
    if (attention.empty()) return;  // too many pairs to be shown
    std::vector<float> sorted;
    for (const std::size_t i : rows)
      for (const std::size_t j : columns) sorted.push_back(attention(0, static_cast<Index>(i), static_cast<Index>(j)));
    readings.array("pooling_attention", {attention.size(1), attention.size(2)}, sorted);
  }
};

const Register<Probe> pooling_view("pooling_view", "points, truth and prediction of a curve, attention in their order",
                                   [] { return std::make_unique<PoolingView>(); });

}  // namespace

}  // namespace fovea
