// Probes `beta_points_right` and `knowledge` (room probe). The Evaluator (lab/train) calls them at each evaluation;
// they change nothing. `beta_points_right` is the share of rows whose largest β is at the true position, and what
// chance would give. Of k positions that share the largest β each counts 1/k, so a β without information scores as
// chance does.
//
// `knowledge` is the same by size: how sure the model is of the right answer if all attention is on its position, the
// mean over rows of
//
//   exp(β)    β a log-probability: of target words, of three classes or more
//   σ(β)      β the logit of the right one of two classes
//
// over the positions that decide a row's answer. `diagonal_knowledge`, of target words: the largest of the means at
// the true position, and one before and one after it, where attention often settles.
#include <algorithm>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class BetaTop1 : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override { kind_ = shape.kind; }
  bool wants_beta() const override { return true; }
  bool differs_under_hold() const override { return false; }
  bool needs_beta() const override { return true; }
  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    double right = 0, chance = 0;
    std::int64_t rows = 0;
    each_row(kind_, evaluation, evaluation.beta, [&](const PositionRow& row) {
      const auto is_true = [&](std::size_t i) {
        return row.marked.empty() ? static_cast<int>(i) == row.aligned : row.marked[i] != 0;
      };
      if (row.values.empty()) return;
      const float largest = *std::max_element(row.values.begin(), row.values.end());
      double truths = 0, tops = 0, both = 0;
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        const bool top = row.values[i] == largest, truth = is_true(i);
        tops += top;
        truths += truth;
        both += top && truth;
      }
      if (truths == 0 || tops == 0) return;
      right += both / tops;
      chance += truths / static_cast<double>(row.values.size());
      ++rows;
    });
    if (rows == 0) return;
    readings.number("beta_points_right", right / static_cast<double>(rows));
    readings.number("beta_points_right_chance", chance / static_cast<double>(rows));
  }

 private:
  Kind kind_ = Kind::labelled_tokens;
};

const Register<Probe> beta_points_right("beta_points_right",
                                        "share of rows whose largest β is at the true position, next to chance",
                                        [] { return std::make_unique<BetaTop1>(); });

class Knowledge : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    kind_ = shape.kind;
    two_classes_ = !has_target(kind_) && shape.classes == 2;
  }
  bool wants_beta() const override { return true; }
  bool differs_under_hold() const override { return false; }
  bool needs_beta() const override { return true; }
  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    double sum[3] = {0, 0, 0};  // one before the true position, on it, one after it
    std::int64_t count[3] = {0, 0, 0};
    each_row(kind_, evaluation, evaluation.beta, [&](const PositionRow& row) {
      const auto add = [&](int offset, std::int64_t at) {
        if (at < 0 || at >= std::ssize(row.values)) return;
        sum[offset + 1] += probability(static_cast<double>(row.values[static_cast<std::size_t>(at)]));
        ++count[offset + 1];
      };
      for (std::size_t i = 0; i < row.marked.size(); ++i)
        if (row.marked[i]) add(0, static_cast<std::int64_t>(i));
      for (int offset = -1; offset <= 1 && row.aligned >= 0; ++offset) add(offset, row.aligned + offset);
    });
    if (count[1] == 0) return;
    const auto mean = [&](int k) { return count[k] > 0 ? sum[k] / static_cast<double>(count[k]) : 0; };
    readings.number("knowledge", mean(1));
    if (has_target(kind_)) readings.number("diagonal_knowledge", std::max({mean(0), mean(1), mean(2)}));
  }

 private:
  double probability(double beta) const { return two_classes_ ? logistic(beta) : math::exp(beta); }

  Kind kind_ = Kind::labelled_tokens;
  bool two_classes_ = true;
};

const Register<Probe> knowledge("knowledge", "probability of the right answer if all attention is on its position",
                                [] { return std::make_unique<Knowledge>(); });

}  // namespace

}  // namespace fovea
