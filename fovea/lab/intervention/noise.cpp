// Intervention `noise`: { noise = 0.5, of = "layer.1.head.2" }, Gaussian noise of this spread is added to the scores
// of a head (room lab/intervention). The InterventionSet (lab/train) calls it. It changes the head's attention rule.
// The noise is drawn for each step, stream, row and column.
#include <fmt/format.h>

#include <cmath>

#include "fovea/base/random.h"
#include "fovea/lab/intervention/on_heads.h"

namespace fovea {

namespace {

class Noise final : public OnHeads, ScoreShift {
 public:
  Noise() { scoped_.rule.shift = this; }

  void settings(Fields& fields) override {
    fields.number("noise", spread_, 0, HUGE_VAL, "standard deviation of the noise that is added to each score");
    heads_settings(fields);
  }
  void finish(const ValueTable& table) override {
    OnHeads::finish(table);
    if (spread_ == 0)
      throw wrong_input(fmt::format("{} of 0 changes nothing", name()), "write a number above 0", location);
  }
  void check_beside(const Intervention& earlier) const override { refuse_on_one_head(earlier); }
  void plan(StepPlan& plan) override {
    seed_ = plan.seed;
    step_ = static_cast<std::uint64_t>(plan.step);
    OnHeads::plan(plan);
  }

 private:
  double at(int layer, int head, Index stream, Index i, Index j) const override {
    std::uint64_t index = static_cast<std::uint64_t>(layer << 8 | head);
    for (const Index part : {stream, i, j}) index = index << 16 | static_cast<std::uint64_t>(part);
    return spread_ * RandomStream(seed_, "noise", step_, index).normal();
  }

  double spread_ = 0;
  std::uint64_t seed_ = 0, step_ = 0;
};

const Register<Intervention> noise("noise", "Gaussian noise is added to the scores of a head",
                                   [] { return std::make_unique<Noise>(); });

}  // namespace

}  // namespace fovea
