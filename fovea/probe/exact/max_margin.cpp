// Probe `max-margin`: the attention map of model `logistic-attention` beside the hard-margin solution of its data
// (theory/exact/max_margin.h) (room probe/exact). The Evaluator (lab/train) calls it at each evaluation; it changes
// nothing. The solution is that of the tokens that have the largest weight now:
//
//   alignment              cosine of the map and the solution; 0 of a map that is 0
//   alignment_best         the same, of the solution for the tokens that indicate the labels best
//   chosen_best            share of the sequences whose largest weight is on that token
//   largest_weight         mean of the largest weight of a sequence
//   map_rank               effective rank of the map: (Σ s)² / Σ s² of its singular values s
//   map_length             its Frobenius norm
//
// and what needs no training:
//
//   alignment_first_step   cosine of the first step and the solution
//   solution_rank          effective rank of the solution
//   solution_margin        least margin of the solution: 1 if the chosen tokens can be separated
#include "fovea/theory/exact/max_margin.h"

#include <algorithm>
#include <cmath>

#include "fovea/probe/probe.h"
#include "fovea/probe/systems/own_matrix.h"

namespace fovea {

namespace {

class MaxMarginProbe final : public Probe {
 public:
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const std::vector<double> map = map_of(evaluation);
    const Batch& batch = evaluation.batch;
    const std::vector<int> best = best_tokens(batch);
    std::vector<int> chosen;
    double largest = 0, right = 0;
    for (int i = 0; i < batch.size; ++i) {
      const std::span<const float> weights = evaluation.outcome.attention[i].flat();
      const auto most = std::max_element(weights.begin(), weights.end());
      chosen.push_back(static_cast<int>(most - weights.begin()));
      largest += static_cast<double>(*most) / batch.size;
      right += (chosen.back() == best[static_cast<std::size_t>(i)] ? 1.0 : 0.0) / batch.size;
    }
    const double length = std::sqrt(dot_of(map, map));
    const MarginSolution solution = max_margin(batch, chosen);
    readings.number("alignment", length > 0 ? cosine_of(map, solution.map) : 0);
    readings.number("alignment_best", length > 0 ? cosine_of(map, max_margin(batch, best).map) : 0);
    readings.number("alignment_first_step", cosine_of(first_step(batch), solution.map));
    readings.number("chosen_best", right);
    readings.number("largest_weight", largest);
    readings.number("map_rank", effective_rank(map));
    readings.number("map_length", length);
    readings.number("solution_rank", effective_rank(solution.map));
    readings.number("solution_margin", solution.margin);
  }

 private:
  static double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  // W, or of keys and queries their product.
  static std::vector<double> map_of(const Evaluation& evaluation) {
    const ParameterView *const merged = find_parameter(evaluation.parameters, "key_query"),
                               *const keys = find_parameter(evaluation.parameters, "key"),
                               *const queries = find_parameter(evaluation.parameters, "query");
    const auto width = static_cast<std::size_t>(evaluation.batch.items.width);
    const bool fits = evaluation.batch.queries.width == evaluation.batch.items.width &&
                      (merged ? merged->values.size() == width * width : keys && queries);
    if (!fits || evaluation.outcome.attention.empty())
      throw wrong_input("probe 'max-margin' reads the attention map of model 'logistic-attention'",
                        "use that model and task 'max-margin', or remove the probe");
    if (merged) return {merged->values.begin(), merged->values.end()};
    std::vector<double> map(width * width, 0.0);
    for (std::size_t r = 0; r < width; ++r)
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j < width; ++j)
          map[i * width + j] +=
              static_cast<double>(keys->values[r * width + i]) * static_cast<double>(queries->values[r * width + j]);
    return map;
  }
};

const Register<Probe> max_margin_probe("max-margin",
                                       "an attention map, compared with the maximum-margin solution of its data",
                                       [] { return std::make_unique<MaxMarginProbe>(); });

}  // namespace

}  // namespace fovea
