// Probe `pooling_error`: the mean squared error against the truth at the queries (room probe/systems). The Evaluator
// (lab/train) calls it at each evaluation of model `pooling`.
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class PoolingError : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::points, "pooling_error");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const std::span<const float> said = evaluation.outcome.predictions.flat();
    const std::span<const float> truth = evaluation.batch.answers.values;
    if (said.empty() || said.size() != truth.size()) return;  // the task does not know the truth here
    double sum = 0;
    for (std::size_t i = 0; i < said.size(); ++i) {
      const double off = static_cast<double>(said[i]) - static_cast<double>(truth[i]);
      sum += off * off;
    }
    readings.number("pooling_error", sum / static_cast<double>(said.size()));
  }
};

const Register<Probe> pooling_error("pooling_error", "mean squared error against the truth at the queries",
                                    [] { return std::make_unique<PoolingError>(); });

}  // namespace

}  // namespace fovea
