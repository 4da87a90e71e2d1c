// Probe `entropy`: how spread attention is, H(p) / log(length): 1 is uniform, 0 is all on one position (room probe).
// The Evaluator (lab/train) calls it at each evaluation; it changes nothing. It is the mean over rows of more than
// one position.

#include "fovea/base/functions/functions.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class Entropy : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "entropy");
    kind_ = shape.kind;
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    double sum = 0;
    std::int64_t rows = 0;
    each_row(kind_, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      if (row.values.size() < 2) return;
      double entropy = 0;
      for (const float weight : row.values) {
        const auto p = static_cast<double>(weight);
        if (p > 0) entropy -= p * math::log(p);
      }
      sum += entropy / math::log(static_cast<double>(row.values.size()));
      ++rows;
    });
    if (rows > 0) readings.number("entropy", sum / static_cast<double>(rows));
  }

 private:
  Kind kind_ = Kind::labelled_tokens;
};

const Register<Probe> entropy("entropy", "spread of attention: 1 uniform, 0 on one position",
                              [] { return std::make_unique<Entropy>(); });

}  // namespace

}  // namespace fovea
