// Probe `toy-course`: the course of a classifier in the plane of the toy gate, beside the toy gate's own (room
// probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes nothing.
//
// `beta_keyword` is the mean β of the positions that decide, `beta_others` the mean β of the others, in the sequences
// that have both; `beta_gap` = beta_keyword - beta_others is D, and `attention_on_answer` is p. The toy gate for
// sequences of L positions, one of them the key, moves from D = 0 and p = 1/L along one curve, however fast
// (theory/unigram_gate.h, of a sequence with the key and one without, the logits at half rate). `toy_gate_attention`
// is its p at the same D.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/probe/position_rows.h"
#include "fovea/theory/unigram_gate.h"

namespace fovea {

namespace {

// p over D along the flow, both rising.
struct ToyCurve {
  std::vector<double> gap, attention;

  explicit ToyCurve(int length) {
    LabelledBags bags(2);
    std::vector<int> sequence(static_cast<std::size_t>(length), 0);
    bags.add(sequence, 0);
    sequence.back() = 1;
    bags.add(sequence, 1);
    std::vector<double> times{0};
    for (int k = -16; k <= 16 * 20; ++k) times.push_back(math::exp2(k / 16.0));
    UnigramField field(bags, 0.5);
    const FlowField flow = [&](const FlowState& state, FlowState& change) { field.slope(state, change); };
    watch_flow(flow, FlowState(4, 0.0), times,
               [&](double, const FlowState& state) {
                 gap.push_back(state[1] - state[0]);
                 attention.push_back(length == 1 ? 1 : unigram_attention(bags, 1, state)[1]);
                 return attention.back() < 0.9999;
               },
               {.tolerance = 1e-9, .most_steps = 100'000});
  }

  double at(double d) const {
    if (d <= gap.front()) return attention.front();
    const auto next = std::upper_bound(gap.begin(), gap.end(), d);
    if (next == gap.end()) return attention.back();
    const auto k = static_cast<std::size_t>(next - gap.begin());
    return attention[k - 1] + (attention[k] - attention[k - 1]) * (d - gap[k - 1]) / (gap[k] - gap[k - 1]);
  }
};

class ToyCourse : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "toy-course");
    need_kind(shape.kind, Kind::labelled_tokens, "toy-course");
  }

  bool wants_beta() const override { return true; }
  bool needs_beta() const override { return true; }
  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    double marked = 0, others = 0, lengths = 0;
    std::int64_t marks = 0, rest = 0, rows = 0;
    each_row(Kind::labelled_tokens, evaluation, evaluation.beta, [&](const PositionRow& row) {
      const auto here = std::count(row.marked.begin(), row.marked.end(), 1);
      if (here == 0 || here == std::ssize(row.values)) return;
      for (std::size_t s = 0; s < row.values.size(); ++s)
        (row.marked[s] ? marked : others) += static_cast<double>(row.values[s]);
      marks += here;
      rest += std::ssize(row.values) - here;
      lengths += static_cast<double>(row.values.size()) / static_cast<double>(here);
      ++rows;
    });
    if (rows == 0) return;
    const double key = marked / static_cast<double>(marks), other = others / static_cast<double>(rest);
    const double gap = key - other;
    const int length = static_cast<int>(std::lround(lengths / static_cast<double>(rows)));
    if (length != length_ || !curve_) {
      length_ = length;
      curve_.emplace(length);
    }
    readings.number("beta_gap", gap);
    readings.number("beta_keyword", key);
    readings.number("beta_others", other);
    readings.number("toy_gate_attention", curve_->at(gap));
  }

 private:
  int length_ = 0;
  std::optional<ToyCurve> curve_;
};

const Register<Probe> toy_course("toy-course", "a classifier's course in the plane of the toy gate, with the gate's",
                                 [] { return std::make_unique<ToyCourse>(); });

}  // namespace

}  // namespace fovea
