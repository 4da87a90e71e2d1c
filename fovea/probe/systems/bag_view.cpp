// Probe `bag_view`: a few bags of images with the attention on them, their labels and the model's answers (room
// probe/systems). The Evaluator (lab/train) calls it at the first and the last evaluation; it changes nothing. The
// figure kind "bag" draws it.
#include <limits>
#include <vector>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class BagView : public Probe {
 public:
  void settings(Fields& fields) override { fields.integer("bags", bags_, 1, 1000, "how many bags"); }

  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "bag_view");
    need_kind(shape.kind, Kind::labelled_bags, "bag_view");
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (!evaluation.first && !evaluation.last) return;
    const Items& items = evaluation.batch.items;
    const Cube<const float> attention = evaluation.outcome.attention;
    const auto bags = std::min<Index>(bags_, attention.size(0));
    const auto each = static_cast<std::size_t>(items.columns) * static_cast<std::size_t>(items.width);
    readings.array("bag_images", {bags, items.columns, items.width},
                   std::span(items.values).first(static_cast<std::size_t>(bags) * each));
    std::vector<float> weights, labels, answers;
    for (Index b = 0; b < bags; ++b) {
      const Index present = positions_present(Kind::labelled_bags, evaluation.batch, b, items.columns);
      for (Index t = 0; t < items.columns; ++t)
        weights.push_back(t < present ? attention(b, 0, t) : std::numeric_limits<float>::quiet_NaN());
      labels.push_back(static_cast<float>(evaluation.batch.labels[static_cast<std::size_t>(b)]));
      answers.push_back(static_cast<float>(argmax(evaluation.outcome.scores[b].flat())));
    }
    readings.array("bag_attention", {bags, items.columns}, weights);
    readings.array("bag_labels", {bags}, labels);
    readings.array("bag_answers", {bags}, answers);
  }

 private:
  int bags_ = 6;
};

const Register<Probe> bag_view("bag_view", "a few bags of images, the attention on them and the answers",
                               [] { return std::make_unique<BagView>(); });

}  // namespace

}  // namespace fovea
