// Probe `loss`: the loss on the fresh examples of the evaluation (room probe). The Evaluator (lab/train) calls it at
// each evaluation; it changes nothing.
#include "fovea/probe/probe.h"

namespace fovea {

namespace {

class Loss : public Probe {
 public:
  void measure(const Evaluation& evaluation, Readings& readings) override {
    readings.number("loss", evaluation.outcome.loss);
  }
};

const Register<Probe> loss("loss", "loss on fresh examples", [] { return std::make_unique<Loss>(); });

}  // namespace

}  // namespace fovea
