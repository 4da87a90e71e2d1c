// `accuracy`: the share of rows whose largest score is the right answer's. A single column is the logit of class 1.
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class Accuracy : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    if (shape.kind == Kind::points) {
      throw wrong_input("probe 'accuracy' measures classes, and the task gives points with values",
                        "take probe 'pooling_error'");
    }
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Matrix<float>& scores = evaluation.outcome.scores;
    std::int64_t right = 0, rows = 0;
    for (Index row = 0; row < scores.size(0); ++row) {
      const int answer = evaluation.outcome.answers[static_cast<std::size_t>(row)];
      if (answer < 0) continue;
      const int said = scores.size(1) == 1 ? (scores(row, 0) > 0 ? 1 : 0) : argmax(scores[row].flat());
      right += said == answer;
      ++rows;
    }
    if (rows > 0) readings.number("accuracy", static_cast<double>(right) / static_cast<double>(rows));
  }
};

const Register<Probe> accuracy("accuracy", "share of right answers", [] { return std::make_unique<Accuracy>(); });

}  // namespace

}  // namespace fovea
