// Probes `accuracy` and `class_auc` (room probe). The Evaluator (lab/train) calls them at each evaluation; they
// change nothing.
//
// `accuracy`: the share of rows whose largest score is the right answer's. A single column is the logit of class 1.
// `class_auc`: how well the scores separate a class from the rest, at any threshold. It is the chance that a random
// example of the class has larger log-odds of it than a random other one; equal ones count half. For two classes it
// is the same for both. For more it is the mean over the classes that the examples have, and have others of.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/math/auc.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class Accuracy : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    if (shape.kind == Kind::points) {
      throw wrong_input("probe 'accuracy' measures classes, and the task gives points with values",
                        "use probe 'pooling_error'");
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

// The log-odds of a class. A single column is the logit of class 1.
double log_odds_of(std::span<const float> scores, std::size_t label) {
  if (scores.size() == 1) return label == 1 ? scores[0] : -scores[0];
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t other = 0; other < scores.size(); ++other)
    if (other != label) largest = std::max(largest, double{scores[other]});
  for (std::size_t other = 0; other < scores.size(); ++other)
    if (other != label) sum += math::exp(double{scores[other]} - largest);
  return scores[label] - largest - math::log(sum);
}

class ClassAuc final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    if (has_target(shape.kind) || shape.kind == Kind::token_streams || shape.kind == Kind::points)
      throw wrong_input("probe 'class_auc' needs classes, and the task gives " + kind_name(shape.kind),
                        "remove the probe");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Matrix<float>& scores = evaluation.outcome.scores;
    const auto columns = static_cast<std::size_t>(scores.size(1));
    double total = 0, told = 0;
    for (std::size_t label = columns <= 2 ? 1 : 0; label < std::max<std::size_t>(2, columns); ++label) {
      values_.clear();
      for (Index row = 0; row < scores.size(0); ++row) {
        const int answer = evaluation.outcome.answers[static_cast<std::size_t>(row)];
        if (answer < 0) continue;
        values_.push_back({log_odds_of(scores[row].flat(), label), answer == static_cast<int>(label)});
      }
      const double auc = auc_of(values_);
      if (std::isnan(auc)) continue;
      total += auc;
      ++told;
    }
    if (told > 0) readings.number("class_auc", total / told);
  }

 private:
  std::vector<MarkedValue> values_;
};

const Register<Probe> accuracy("accuracy", "share of right answers", [] { return std::make_unique<Accuracy>(); });
const Register<Probe> class_auc(
    "class_auc", "how well scores separate a class from the others, over all thresholds: 1 fully, 0.5 not at all",
    [] { return std::make_unique<ClassAuc>(); });

}  // namespace

}  // namespace fovea
