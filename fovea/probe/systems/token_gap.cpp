// Probe `token_gap`: the distance of the embeddings of the first two tokens, |E_1 - E_0| (room probe/systems). The
// Evaluator (lab/train) calls it at each evaluation; it changes nothing.
#include <cmath>

#include "fovea/probe/position_rows.h"
#include "fovea/probe/systems/own_matrix.h"

namespace fovea {

namespace {

class TokenGap final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::token_streams, "token_gap");
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    const ParameterView* const embedding = find_parameter(evaluation.parameters, "embedding.weight");
    if (!embedding)
      throw wrong_input("probe 'token_gap' reads the embeddings of a transformer, and the model is none",
                        "use a transformer, or remove the probe");
    const auto width = static_cast<std::size_t>(embedding->shape[1]);
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double gap = static_cast<double>(embedding->values[width + i]) - static_cast<double>(embedding->values[i]);
      squares += gap * gap;
    }
    readings.number("token_gap", std::sqrt(squares));
  }
};

const Register<Probe> token_gap("token_gap", "distance of the embeddings of the first two tokens",
                                [] { return std::make_unique<TokenGap>(); });

}  // namespace

}  // namespace fovea
