// Probe `loss_by_position`: how much the context helps (room probe). The Evaluator (lab/train) calls it at each
// evaluation; it changes nothing. The array is the mean loss of the asked positions, by position.
//
//   loss_first_tenth   the mean loss of the first tenth of the asked positions, one at least
//   loss_last_tenth    the same for the last tenth
//   in_context_score   loss_last_tenth - loss_first_tenth; below 0 if the context helps
#include <cmath>

#include "fovea/math/vector_math.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class LossByPosition final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::token_streams, "loss_by_position");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Tokens& target = evaluation.batch.target;
    const auto positions = static_cast<std::size_t>(target.columns);
    sums_.assign(positions, 0);
    counts_.assign(positions, 0);
    for (int b = 0; b < target.rows; ++b)
      for (int t = 0; t < target.columns; ++t) {
        const int answer = target.at(b, t);
        if (answer < 0) continue;
        const std::span<const float> scores(evaluation.outcome.scores[Index{b} * target.columns + t].flat());
        sums_[static_cast<std::size_t>(t)] +=
            static_cast<double>(log_sum_exp(scores) - scores[static_cast<std::size_t>(answer)]);
        ++counts_[static_cast<std::size_t>(t)];
      }
    const auto asked = static_cast<std::size_t>(std::ranges::count_if(counts_, [](std::int64_t n) { return n > 0; }));
    if (asked == 0) return;
    const std::size_t tenth = std::max<std::size_t>(1, asked / 10);
    double early = 0, late = 0;
    std::int64_t early_rows = 0, late_rows = 0;
    std::vector<float> losses(positions, std::nanf(""));
    for (std::size_t t = 0, seen = 0; t < positions; ++t) {
      if (counts_[t] == 0) continue;
      losses[t] = static_cast<float>(sums_[t] / static_cast<double>(counts_[t]));
      if (seen < tenth) early += sums_[t], early_rows += counts_[t];
      if (seen >= asked - tenth) late += sums_[t], late_rows += counts_[t];
      ++seen;
    }
    readings.array("loss_by_position", {static_cast<Index>(positions)}, losses);
    early /= static_cast<double>(early_rows);
    late /= static_cast<double>(late_rows);
    readings.number("loss_first_tenth", early);
    readings.number("loss_last_tenth", late);
    readings.number("in_context_score", late - early);
  }

 private:
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
};

const Register<Probe> loss_by_position("loss_by_position",
                                       "loss by position in the stream, and how much the context helps",
                                       [] { return std::make_unique<LossByPosition>(); });

}  // namespace

}  // namespace fovea
