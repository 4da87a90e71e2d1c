// Schedule `step`: the rate times `factor` after every `period` updates, factor^⌊k / period⌋ (room nn/optimizer).
// TrainSettings (lab/spec) makes it by name. Pure function of the step.
#include <cassert>
#include <memory>

#include "fovea/base/functions/functions.h"
#include "fovea/nn/optimizer/schedule.h"

namespace fovea {

namespace {

class StepSchedule : public Schedule {
 public:
  void settings(Fields& fields) override {
    fields.integer("period", period_, 1, std::int64_t{1} << 40, "schedule step: number of updates between two falls");
    fields.in_every_spec();
    fields.number("factor", factor_, 0, 1, "schedule step: the rate is multiplied by this at each fall");
    fields.in_every_spec();
  }

 private:
  double after_warmup(std::int64_t since, double) const override {
    assert(period_ >= 1);
    return math::pow(factor_, static_cast<double>(since / period_));
  }

  std::int64_t period_ = 1000;
  double factor_ = 0.1;
};

const Register<Schedule> step_schedule("step", "the rate falls after each given number of updates",
                                       [] { return std::make_unique<StepSchedule>(); });

}  // namespace

}  // namespace fovea
