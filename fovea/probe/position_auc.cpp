// Probes `beta_auc` and `attention_auc`: how well β, and attention, separates the positions that decide the label
// from the others (room probe). The Evaluator (lab/train) calls them at each evaluation; they change nothing. Each is
// the chance that a random marked position has a larger value than a random other one; equal values count half. Only
// examples with marks are used. Both are the same statistic, so their times can be compared.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/math/auc.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class PositionAuc : public Probe {
 public:
  bool needs_truth() const override { return true; }

 protected:
  void take_kind(const TaskShape& shape, const std::string& name, const std::string& instead) {
    kind_ = shape.kind;
    if (has_target(kind_))
      throw wrong_input("probe '" + name + "' needs marked positions, and the task aligns words",
                        "use probe '" + instead + "'");
  }

  void read(const Evaluation& evaluation, Cube<const float> cube, const std::string& name, Readings& readings) {
    values_.clear();
    each_row(kind_, evaluation, cube, [&](const PositionRow& row) {
      if (std::none_of(row.marked.begin(), row.marked.end(), [](std::uint8_t m) { return m != 0; })) return;
      for (std::size_t i = 0; i < row.values.size(); ++i) values_.push_back({row.values[i], row.marked[i] != 0});
    });
    if (const double auc = auc_of(values_); !std::isnan(auc)) readings.number(name, auc);
  }

 private:
  Kind kind_ = Kind::labelled_tokens;
  std::vector<MarkedValue> values_;
};

class BetaAuc final : public PositionAuc {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    take_kind(shape, "beta_auc", "beta_points_right");
  }
  bool wants_beta() const override { return true; }
  bool needs_beta() const override { return true; }
  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    read(evaluation, evaluation.beta, "beta_auc", readings);
  }
};

class AlphaAuc final : public PositionAuc {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "attention_auc");
    take_kind(shape, "attention_auc", "attention_points_right");
  }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    read(evaluation, evaluation.outcome.attention, "attention_auc", readings);
  }
};

const Register<Probe> beta_auc("beta_auc",
                               "how well β separates determining positions from the others: 1 fully, 0.5 not at all",
                               [] { return std::make_unique<BetaAuc>(); });
const Register<Probe> attention_auc(
    "attention_auc", "how well attention separates determining positions from the others: 1 fully, 0.5 not at all",
    [] { return std::make_unique<AlphaAuc>(); });

}  // namespace

}  // namespace fovea
