// Probe `kept_beta`: β of the examples whose attention a run stores, at the same evaluations (room probe). The
// Evaluator (lab/train) calls it. It shows how β and attention move beside each other: `attention_beta` (examples,
// rows, positions), 0 in rows without an answer; and once, at the first evaluation, `attention_truth`, 1 at the
// positions that decide a row's answer.
#include <vector>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class KeptBeta : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "kept_beta");
    kind_ = shape.kind;
  }
  bool wants_beta() const override { return true; }
  Examples examples() const override { return Examples::kept; }
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (!evaluation.beta.empty())
      readings.array("attention_beta", {evaluation.beta.size(0), evaluation.beta.size(1), evaluation.beta.size(2)},
                     evaluation.beta.flat());
    if (evaluation.first) keep_truth(evaluation, readings);
  }

 private:
  void keep_truth(const Evaluation& evaluation, Readings& readings) const {
    const Cube<const float>& alpha = evaluation.outcome.attention;
    const Index rows = alpha.size(1), positions = alpha.size(2);
    std::vector<float> truth(alpha.flat().size());
    each_row(kind_, evaluation, alpha, [&](const PositionRow& row) {
      float* const at = truth.data() + (row.example * rows + row.row) * positions;
      if (row.aligned >= 0) at[row.aligned] = 1;
      for (std::size_t i = 0; i < row.marked.size(); ++i)
        if (row.marked[i]) at[i] = 1;
      if (const Index width = evaluation.batch.pattern_width; width > 0)
        for (Index i = 0; i < width; ++i)
          if (const int position =
                  evaluation.batch.pattern[static_cast<std::size_t>((row.example * rows + row.row) * width + i)];
              position >= 0)
            at[position] = 1;
    });
    readings.array("attention_truth", {alpha.size(0), rows, positions}, truth);
  }

  Kind kind_ = Kind::labelled_tokens;
};

const Register<Probe> kept_beta("kept_beta",
                                "β of the examples whose attention is stored, at the same evaluations, as arrays",
                                [] { return std::make_unique<KeptBeta>(); });

}  // namespace

}  // namespace fovea
