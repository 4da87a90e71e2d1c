// Probe `attention_points_right`: the share of rows whose largest weight is on the true position, and one before and
// one after it (room probe). The Evaluator (lab/train) calls it at each evaluation; it changes nothing. Models often
// settle one position off. Each share is over the rows for which that position exists.
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class AttentionAccuracy : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "attention_points_right");
    kind_ = shape.kind;
    if (!has_target(kind_)) need_kind(kind_, Kind::token_pairs, "attention_points_right");
  }

  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    std::int64_t rows[3] = {0, 0, 0}, right[3] = {0, 0, 0};
    each_row(kind_, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      if (row.aligned < 0) return;
      const int top = argmax(row.values);
      for (int k = 0; k < 3; ++k) {
        const int position = row.aligned + k - 1;
        if (position < 0 || position >= static_cast<int>(row.values.size())) continue;
        ++rows[k];
        right[k] += top == position;
      }
    });
    const char* const names[3] = {"attention_points_one_before", "attention_points_right",
                                  "attention_points_one_after"};
    for (int k = 0; k < 3; ++k) {
      if (rows[k] > 0) readings.number(names[k], static_cast<double>(right[k]) / static_cast<double>(rows[k]));
    }
  }

 private:
  Kind kind_ = Kind::token_pairs;
};

const Register<Probe> attention_points_right(
    "attention_points_right", "share of rows that attend most to the true position, or to its neighbours",
    [] { return std::make_unique<AttentionAccuracy>(); });

}  // namespace

}  // namespace fovea
