// `beta_points_right`: the share of rows whose largest β stands at the true position, and what chance would give. Of k
// positions that share the largest β each counts 1/k, so that a β that says nothing scores as chance does.
#include <algorithm>

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

}  // namespace

}  // namespace fovea
