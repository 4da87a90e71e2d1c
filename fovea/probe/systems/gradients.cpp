// Probe `gradients`: the norm of the loss's gradient at each circuit of a transformer (room probe/systems). The
// Evaluator (lab/train) calls it on the examples of each evaluation. The names are gradient_qk_1 (queries, keys and
// relative positions of layer 1), gradient_v_1, gradient_o_1, gradient_mlp_1 and so on, gradient_embed,
// gradient_positions, gradient_unembed and gradient_norms. Frozen parameters have none.
#include <cmath>
#include <map>

#include "fovea/probe/position_rows.h"
#include "fovea/probe/survey.h"

namespace fovea {

namespace {

// layer.1.key.weight -> qk_1
std::string circuit_of(std::string_view name) {
  if (name.find("norm") != std::string_view::npos) return "norms";
  constexpr std::string_view layers = "layer.";
  if (!name.starts_with(layers)) {
    if (name.starts_with("embedding")) return "embed";
    return name.starts_with("position") ? "positions" : "unembed";
  }
  name.remove_prefix(layers.size());
  const std::size_t dot = name.find('.');
  const std::string_view part = name.substr(dot + 1);
  const char* const circuit = part.starts_with("value")    ? "v_"
                              : part.starts_with("output") ? "o_"
                              : part.starts_with("mlp")    ? "mlp_"
                                                           : "qk_";
  return circuit + std::string(name.substr(0, dot));
}

class GradientNorms final : public SurveyProbe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::token_streams, "gradients");
  }
  int count() const override { return 1; }  // one batch of a survey

  void survey(const SurveyBatch& at, Readings& readings) override {
    const HeadGradients seen = at.heads ? at.heads() : HeadGradients{};
    if (seen.gradients.empty())
      throw wrong_input("probe 'gradients' needs a transformer whose maps can be shown",
                        "use a transformer and shorter streams, or remove the probe");
    std::map<std::string, double> squares;
    for (const auto& [name, norm] : seen.gradients) squares[circuit_of(name)] += norm * norm;
    for (const auto& [circuit, square] : squares) readings.number("gradient_" + circuit, std::sqrt(square));
  }
  void conclude(Readings&) override {}
};

const Register<Probe> gradients("gradients", "size of the loss gradient at each circuit of a transformer",
                                [] { return std::make_unique<GradientNorms>(); });

}  // namespace

}  // namespace fovea
