// Probe `weight_on_answer_by_sums`: the weight that attention on bags would have if it depended only on the sums of
// items (room probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes nothing. It is the
// mean weight on the deciding items if weights are in proportion to the items' sums above the least sum of the bag.
// `largest_sum_is_answer` is the share of correctly classified bags whose item of the largest sum is a deciding one.
// For squares of an image, sums are ink.
#include <numeric>
#include <vector>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class SumsOnTruth : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::labelled_bags, "weight_on_answer_by_sums");
  }

  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Batch& batch = evaluation.batch;
    double on_truth = 0, bags = 0, largest = 0, right = 0;
    std::vector<double> sums;
    for (int b = 0; b < batch.size; ++b) {
      sums.clear();
      for (int i = 0; i < batch.items.lengths[static_cast<std::size_t>(b)]; ++i) {
        const float* const item = batch.items.item(b, i);
        sums.push_back(std::accumulate(item, item + batch.items.width, 0.0));
      }
      const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
      if (least == most || *least == *most) continue;  // all alike
      const std::uint8_t* const marked = batch.marked.data() + b * batch.items.columns;
      double all = 0, there = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        all += sums[i] - *least;
        if (marked[i] != 0) there += sums[i] - *least;
      }
      on_truth += there / all;
      ++bags;
      if (argmax(evaluation.outcome.scores[b].flat()) != evaluation.outcome.answers[static_cast<std::size_t>(b)])
        continue;
      largest += marked[most - sums.begin()];
      ++right;
    }
    if (bags > 0) readings.number("weight_on_answer_by_sums", on_truth / bags);
    if (right > 0) readings.number("largest_sum_is_answer", largest / right);
  }
};

const Register<Probe> weight_on_answer_by_sums(
    "weight_on_answer_by_sums", "mean weight on the determining items if weights were proportional to items' sums",
    [] { return std::make_unique<SumsOnTruth>(); });

}  // namespace

}  // namespace fovea
