// Probe `race`: the errors of the two products of model `race-product` (room probe/exact). The Evaluator (lab/train)
// calls it at each evaluation; it changes nothing. Its numbers:
//
//   context_error   L_abc, of the product that stands for learning in context
//   weights_error   L_dbc, of the product that stands for learning in weights
#include "fovea/data/tasks/exact/laws.h"
#include "fovea/model/exact/race_product.h"
#include "fovea/probe/probe.h"
#include "fovea/probe/systems/own_matrix.h"

namespace fovea {

namespace {

class Race final : public Probe {
 public:
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (!dynamic_cast<const RaceLaw*>(&evaluation.task))
      throw wrong_input("probe 'race' reads the vectors of model 'race-product'",
                        "use that model and its task, or remove the probe");
    const RaceVectors<float> truth = race_truths(evaluation.batch);
    RaceVectors<float> at = truth;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (const ParameterView* const vector = find_parameter(evaluation.parameters, std::string(1, "abcd"[i])))
        at[i] = vector->values;
    const RaceErrors errors = RaceErrors::of<float>(at, truth);
    readings.number("context_error", errors.context.value());
    readings.number("weights_error", errors.weights.value());
  }
};

const Register<Probe> race_probe("race", "the errors of two outer products that compete",
                                 [] { return std::make_unique<Race>(); });

}  // namespace

}  // namespace fovea
