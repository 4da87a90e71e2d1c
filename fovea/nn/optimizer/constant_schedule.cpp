// Schedule `constant`: the rate stays as set (room nn/optimizer). TrainSettings (lab/spec) makes it by name. Pure
// function of the step.
#include <memory>

#include "fovea/nn/optimizer/schedule.h"

namespace fovea {

namespace {

class ConstantSchedule : public Schedule {
  double after_warmup(std::int64_t, double) const override { return 1; }
};

const Register<Schedule> constant_schedule("constant", "the rate stays",
                                           [] { return std::make_unique<ConstantSchedule>(); });

}  // namespace

}  // namespace fovea
