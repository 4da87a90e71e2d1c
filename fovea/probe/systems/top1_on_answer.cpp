// Probe `top1_on_answer`: the share of correctly classified bags in which the deciding item has the largest weight
// (room probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes nothing.
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class DigitRank : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "top1_on_answer");
    need_kind(shape.kind, Kind::labelled_bags, "top1_on_answer");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    std::int64_t first = 0, right = 0;
    each_row(Kind::labelled_bags, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      const int answer = evaluation.outcome.answers[static_cast<std::size_t>(row.example)];
      if (row.values.empty() || row.marked.empty() || argmax(evaluation.outcome.scores[row.example].flat()) != answer)
        return;
      ++right;
      first += row.marked[static_cast<std::size_t>(argmax(row.values))];
    });
    if (right > 0) readings.number("top1_on_answer", static_cast<double>(first) / static_cast<double>(right));
  }
};

const Register<Probe> top1_on_answer(
    "top1_on_answer", "share of correctly classified bags that attend most to the item that determines the class",
    [] { return std::make_unique<DigitRank>(); });

}  // namespace

}  // namespace fovea
