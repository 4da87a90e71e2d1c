// `closed-form`: what is computed of a task before training (theory/exact/exact_prediction.h), given at every
// evaluation so that claims and figures can compare it with the run: plateaus as rung_NAME, times and other numbers
// as predicted_NAME (room probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes nothing.
#include "fovea/probe/probe.h"
#include "fovea/theory/exact/exact_prediction.h"

namespace fovea {

namespace {

class ClosedForm final : public Probe {
 public:
  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (prediction_.empty()) prediction_ = predict_exact(evaluation.task);
    if (prediction_.empty())
      throw wrong_input("probe 'closed-form' needs a task with a closed form, and this task has none",
                        "use a task that can be predicted so, such as 'linear-icl', or remove the probe");
    for (const ExactPrediction::Figure& height : prediction_.heights)
      readings.number("rung_" + height.name, height.value);
    for (const auto& figures : {prediction_.times, prediction_.numbers})
      for (const ExactPrediction::Figure& figure : figures) readings.number("predicted_" + figure.name, figure.value);
  }

 private:
  ExactPrediction prediction_;  // of the run's task, from its first evaluation
};

const Register<Probe> closed_form("closed-form",
                                  "loss plateaus and times that are computed from the task before training",
                                  [] { return std::make_unique<ClosedForm>(); });

}  // namespace

}  // namespace fovea
