// Intervention `noise`: { noise = 0.5, of = "layer.1.head.2" }, Gaussian noise of this spread is added to the scores
// of a head (room lab/intervention). The InterventionSet (lab/train) calls it. It changes the head's attention rule.
// The noise is drawn for each step, stream, row and column. Shards of a batch number their streams as the whole batch
// does. Each batch of an evaluation has numbers of its own (lab/train/evaluator.cpp). The batch of an update and the
// fresh examples of the evaluation before it have the same numbers.
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
  void plan(StepPlan& plan) override {
    seed_ = plan.seed;
    step_ = static_cast<std::uint64_t>(plan.step);
    OnHeads::plan(plan);
  }

 private:
  double at(int layer, int head, std::int64_t stream, Index i, Index j) const override {
    std::uint64_t seed = seed_, index = 0;
    const auto add = [&index](std::int64_t part, int bits) {
      index = index << bits | static_cast<std::uint64_t>(part);
    };
    if ((layer | head) >> 8 == 0 && (stream | i | j) >> 16 == 0) {
      add(layer, 8), add(head, 8), add(stream, 16), add(i, 16), add(j, 16);
    } else {  // too large for one index
      add(i, 32), add(j, 32);
      seed = RandomStream(seed, "noise of larger indices", static_cast<std::uint64_t>(stream), index).bits();
      add(layer, 32), add(head, 32);
    }
    return spread_ * RandomStream(seed, "noise", step_, index).normal();
  }

  double spread_ = 0;
  std::uint64_t seed_ = 0, step_ = 0;
};

const Register<Intervention> noise("noise", "Gaussian noise is added to the scores of a head",
                                   [] { return std::make_unique<Noise>(); });

}  // namespace

}  // namespace fovea
