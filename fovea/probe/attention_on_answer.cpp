// Three probes of the weight on the positions that decide the answer (room probe). The Evaluator (lab/train) calls
// them at each evaluation; they change nothing.
// `attention_on_answer`: the mean weight on these positions, over the rows that have any.
// `attention_around_answer`: the mean weight before the first of these positions, and after the last.
// `attention_points_right`: the share of rows whose largest weight is on the true position, one before it, and one
// after it, since models often settle one position off. Each share is over the rows for which that position exists.
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class AttentionOnTruth : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "attention_on_answer");
    kind_ = shape.kind;
  }

  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    double sum = 0;
    std::int64_t rows = 0;
    each_row(kind_, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      double mass = 0;
      bool any = false;
      if (row.aligned >= 0) {
        mass = static_cast<double>(row.values[static_cast<std::size_t>(row.aligned)]);
        any = true;
      }
      for (std::size_t i = 0; i < row.marked.size(); ++i) {
        if (!row.marked[i]) continue;
        mass += static_cast<double>(row.values[i]);
        any = true;
      }
      if (!any) return;
      sum += mass;
      ++rows;
    });
    if (rows > 0) readings.number("attention_on_answer", sum / static_cast<double>(rows));
  }

 private:
  Kind kind_ = Kind::labelled_tokens;
};

class AttentionAroundTruth : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "attention_around_answer");
    need_kind(shape.kind, Kind::labelled_tokens, "attention_around_answer");
  }

  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    double before = 0, behind = 0;
    std::int64_t rows = 0;
    each_row(Kind::labelled_tokens, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      const auto first = std::find(row.marked.begin(), row.marked.end(), 1);
      if (first == row.marked.end()) return;
      const auto last = std::find(row.marked.rbegin(), row.marked.rend(), 1).base();
      for (const float weight : row.values.first(static_cast<std::size_t>(first - row.marked.begin())))
        before += static_cast<double>(weight);
      for (const float weight : row.values.subspan(static_cast<std::size_t>(last - row.marked.begin())))
        behind += static_cast<double>(weight);
      ++rows;
    });
    if (rows == 0) return;
    readings.number("attention_before_answer", before / static_cast<double>(rows));
    readings.number("attention_after_answer", behind / static_cast<double>(rows));
  }
};

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
        const int place = row.aligned + k - 1;
        if (place < 0 || place >= static_cast<int>(row.values.size())) continue;
        ++rows[k];
        right[k] += top == place;
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

const Register<Probe> attention_around_answer("attention_around_answer",
                                              "mean weight before and after the positions that determine the answer",
                                              [] { return std::make_unique<AttentionAroundTruth>(); });
const Register<Probe> attention_on_answer("attention_on_answer",
                                          "mean weight on the positions that determine the answer",
                                          [] { return std::make_unique<AttentionOnTruth>(); });
const Register<Probe> attention_points_right(
    "attention_points_right", "share of rows that attend most to the true position, or to its neighbours",
    [] { return std::make_unique<AttentionAccuracy>(); });

}  // namespace

}  // namespace fovea
