// Schedule `cosine`: from the full rate to a share of it along half a cosine (room nn/optimizer). TrainSettings
// (lab/spec) makes it by name. Pure function of the step. The share of the full rate is floor + (1 - floor) (1 +
// cos(π a)) / 2.
#include <memory>
#include <numbers>

#include "fovea/base/functions/functions.h"
#include "fovea/nn/optimizer/schedule.h"

namespace fovea {

namespace {

class CosineSchedule : public Schedule {
 public:
  void settings(Fields& fields) override {
    fields.number("floor", floor_, 0, 1, "share of the rate left at the end of linear and cosine");
    fields.in_every_spec();
  }

 private:
  double after_warmup(std::int64_t, double way) const override {
    return floor_ + (1 - floor_) * (1 + math::cos(std::numbers::pi * way)) / 2;
  }

  double floor_ = 0;
};

const Register<Schedule> cosine_schedule("cosine", "the rate falls to a share of it along half a cosine",
                                         [] { return std::make_unique<CosineSchedule>(); });

}  // namespace

}  // namespace fovea
