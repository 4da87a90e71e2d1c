// Schedule `linear`: from the full rate linearly to a share of it (room nn/optimizer). TrainSettings (lab/spec) makes
// it by name. Pure function of the step. The share of the full rate is 1 - a + floor a.
#include <memory>

#include "fovea/nn/optimizer/schedule.h"

namespace fovea {

namespace {

class LinearSchedule : public Schedule {
 public:
  void settings(Fields& fields) override {
    fields.number("floor", floor_, 0, 1, "share of the rate left at the end of linear and cosine");
    fields.in_every_spec();
  }

 private:
  double after_warmup(std::int64_t, double way) const override { return 1 + (floor_ - 1) * way; }

  double floor_ = 0;
};

const Register<Schedule> linear_schedule("linear", "the rate falls linearly to a share of it",
                                         [] { return std::make_unique<LinearSchedule>(); });

}  // namespace

}  // namespace fovea
