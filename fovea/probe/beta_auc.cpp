// `beta_auc`: how well β tells the positions that decide the label from the rest: the chance that of a
// random marked position and a random other one the marked has the larger β, equal ones counting half. Over the
// examples that have marks.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class BetaAuc : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    kind_ = shape.kind;
    if (kind_ == Kind::token_pairs) {
      throw wrong_input("probe 'beta_auc' needs marked positions, and the task aligns words", "take probe 'beta_top1'");
    }
  }
  bool wants_beta() const override { return true; }
  bool differs_under_hold() const override { return false; }
  bool needs_beta() const override { return true; }
  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    values_.clear();
    each_row(kind_, evaluation, evaluation.beta, [&](const PositionRow& row) {
      if (std::none_of(row.marked.begin(), row.marked.end(), [](std::uint8_t m) { return m != 0; })) return;
      for (std::size_t i = 0; i < row.values.size(); ++i) values_.push_back({row.values[i], row.marked[i] != 0});
    });
    if (std::any_of(values_.begin(), values_.end(), [](const Value& v) { return std::isnan(v.beta); })) return;
    std::sort(values_.begin(), values_.end(), [](const Value& a, const Value& b) { return a.beta < b.beta; });
    // Walks up through groups of equal β; every marked one wins over the others below it.
    double wins = 0, marked = 0, others = 0;
    for (std::size_t first = 0; first < values_.size();) {
      std::size_t last = first;
      double marked_here = 0, others_here = 0;
      for (; last < values_.size() && values_[last].beta == values_[first].beta; ++last) {
        (values_[last].marked ? marked_here : others_here) += 1;
      }
      wins += marked_here * (others + others_here / 2);
      marked += marked_here;
      others += others_here;
      first = last;
    }
    if (marked > 0 && others > 0) readings.number("beta_auc", wins / (marked * others));
  }

 private:
  struct Value {
    float beta;
    bool marked;
  };
  Kind kind_ = Kind::labelled_tokens;
  std::vector<Value> values_;
};

const Register<Probe> beta_auc("beta_auc", "how well β tells deciding positions from the rest: 1 fully, 0.5 not at all",
                               [] { return std::make_unique<BetaAuc>(); });

}  // namespace

}  // namespace fovea
