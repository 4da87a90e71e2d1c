// Probe `closed-form`: the computed results of a task (theory/exact/exact_prediction.h) (room probe/systems). The
// Evaluator (lab/train) calls it at each evaluation, so that claims and figures can compare the run with them. It
// reports plateaus as rung_NAME and times as predicted_NAME.
#include "fovea/probe/probe.h"
#include "fovea/theory/exact/exact_prediction.h"

namespace fovea {

namespace {

class ClosedForm final : public Probe {
 public:
  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    const ExactPrediction prediction = predict_exact(evaluation.task);
    if (prediction.empty())
      throw wrong_input("probe 'closed-form' needs a task with a closed form, and this task has none",
                        "use task 'linear-icl', 'sparse-emergence' or 'race-product', or remove the probe");
    for (const ExactPrediction::Figure& height : prediction.heights)
      readings.number("rung_" + height.name, height.value);
    for (const ExactPrediction::Figure& time : prediction.times) readings.number("predicted_" + time.name, time.value);
  }
};

const Register<Probe> closed_form("closed-form",
                                  "loss plateaus and times that are computed from the task before training",
                                  [] { return std::make_unique<ClosedForm>(); });

}  // namespace

}  // namespace fovea
