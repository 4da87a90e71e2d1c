// Probe `collapse`: whether a model's states and answers are the same at all positions, as on a plateau (room probe).
// The Evaluator (lab/train) calls it at each evaluation; it changes nothing. It measures the positions of a stream
// that ask and need other positions; of tasks that do not mark such positions, all that ask except the first of each
// stream. With h the states that the answers are read from and y the most likely answers:
//
//   state_cosine       mean over streams of the mean cosine of h_i and h_j, i != j
//   repetition         share of the neighbours i, i + 1 of which both answers are the same
//   repetition_data    the same of the right answers
//
// Answers are those given the right stream so far, not the model's own. (Gopalani and Hu, What happens during the
// loss plateau?, 2025.)
#include <cmath>

#include "fovea/model/right_positions.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class Collapse final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::token_streams, "collapse");
  }
  bool wants_states() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Batch& batch = evaluation.batch;
    const RightPositions right = right_positions(batch);
    double cosines = 0;
    std::int64_t streams = 0, neighbours = 0, same = 0, same_data = 0;
    for (int b = 0; b < batch.size; ++b) {
      std::vector<int> positions = asked_positions(batch, right, b, true);
      if (positions.empty()) positions = asked_positions(batch, right, b, false);
      if (!positions.empty()) positions.erase(positions.begin());
      for (std::size_t n = 1; n < positions.size(); ++n) {
        const int i = positions[n - 1], j = positions[n];
        if (j != i + 1) continue;
        ++neighbours;
        same += said(evaluation, b, i) == said(evaluation, b, j);
        same_data += batch.target.at(b, i) == batch.target.at(b, j);
      }
      if (positions.size() < 2 || evaluation.states.empty()) continue;
      ++streams;
      cosines += mean_cosine(evaluation.states[b], positions);
    }
    if (streams > 0) readings.number("state_cosine", cosines / static_cast<double>(streams));
    if (neighbours == 0) return;
    readings.number("repetition", static_cast<double>(same) / static_cast<double>(neighbours));
    readings.number("repetition_data", static_cast<double>(same_data) / static_cast<double>(neighbours));
  }

 private:
  static std::vector<int> asked_positions(const Batch& batch, const RightPositions& right, int b, bool needing) {
    std::vector<int> positions;
    for (int t = 0; t < batch.target.columns; ++t)
      if (batch.target.at(b, t) >= 0 && (!needing || !right.of(Index{b} * batch.target.columns + t).empty()))
        positions.push_back(t);
    return positions;
  }

  static int said(const Evaluation& evaluation, int b, int t) {
    return argmax(evaluation.outcome.scores[Index{b} * evaluation.batch.target.columns + t].flat());
  }

  // Of n unit vectors u the mean over pairs is (|sum u|^2 - n) / (n (n - 1)).
  static double mean_cosine(Matrix<const float> states, std::span<const int> positions) {
    std::vector<double> sum(static_cast<std::size_t>(states.size(1)));
    double count = 0;
    for (const int position : positions) {
      const std::span<const float> h = states[position].flat();
      double square = 0;
      for (const float x : h) square += static_cast<double>(x) * static_cast<double>(x);
      if (square == 0) continue;
      ++count;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += static_cast<double>(h[k]) / std::sqrt(square);
    }
    double square = 0;
    for (const double x : sum) square += x * x;
    return count < 2 ? 0 : (square - count) / (count * (count - 1));
  }
};

const Register<Probe> collapse("collapse", "whether a model's states and answers are the same at all positions",
                               [] { return std::make_unique<Collapse>(); });

}  // namespace

}  // namespace fovea
