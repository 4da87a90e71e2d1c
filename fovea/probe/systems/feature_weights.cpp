// Probe `feature_weights`: the weight on the informative features (room probe/systems). The Evaluator (lab/train)
// calls it at each evaluation; it changes nothing. It reports each, their sum, and the largest difference between two
// of them. Means over the examples.
#include <algorithm>
#include <vector>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class FeatureWeights : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.integer("each", each_, 0, 1 << 20, "number of informative features with their own metric");
  }

  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "feature_weights");
    need_kind(shape.kind, Kind::labelled_vectors, "feature_weights");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    std::vector<double> weights;  // of each informative feature, in the features' order
    std::int64_t rows = 0;
    each_row(Kind::labelled_vectors, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      std::size_t found = 0;
      for (std::size_t i = 0; i < row.marked.size(); ++i) {
        if (!row.marked[i]) continue;
        if (weights.size() == found) weights.push_back(0);
        weights[found++] += static_cast<double>(row.values[i]);
      }
      ++rows;
    });
    if (weights.empty()) return;
    double sum = 0;
    for (double& weight : weights) sum += weight /= static_cast<double>(rows);
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    readings.number("feature_weight_sum", sum);
    readings.number("feature_weight_difference", *most - *least);
    for (std::size_t i = 0; i < std::min(weights.size(), static_cast<std::size_t>(each_)); ++i) {
      readings.number("feature_weight_" + std::to_string(i + 1), weights[i]);
    }
  }

 private:
  int each_ = 8;
};

const Register<Probe> feature_weights("feature_weights", "weight on the informative features",
                                      [] { return std::make_unique<FeatureWeights>(); });

}  // namespace

}  // namespace fovea
