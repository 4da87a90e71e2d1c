// `induction-flow`: how long an induction head should take to form in streams of so many places and tokens, by the
// gradient flow of three scalars (theory/induction_flow.h), told at the first look, so that claims can set it against
// the step at which one did: predicted_time where each token has a memory of its own, as in a model, and
// predicted_time_shared where one serves all. What counts is a loss of half of log T, which the bag of the context
// cannot give: it leaves log T. Times of a flow order settings; they are no steps. (The flow's context holds T
// different tokens, that of task `induction` T - 1.)
#include "fovea/theory/induction_flow.h"

#include <fmt/format.h>

#include <cmath>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class InductionFlow final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::token_streams, "induction-flow");
    context_ = {shape.longest, shape.vocab};
    if (shape.vocab < shape.longest)
      throw wrong_input(fmt::format("probe 'induction-flow' predicts streams of different tokens, and here {} places "
                                    "are filled from {}",
                                    shape.longest, shape.vocab),
                        "leave the probe out, or take as many tokens as places");
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (!evaluation.first) return;
    context_.level = std::log(context_.places) / 2;
    InductionContext own = context_;
    own.memory = InductionContext::Memory::own;
    readings.number("predicted_time", induction_time(own));
    readings.number("predicted_time_shared", induction_time(context_));
  }

 private:
  InductionContext context_;
};

const Register<Probe> induction_flow_probe("induction-flow",
                                           "how long an induction head should take to form, predicted from T and V",
                                           [] { return std::make_unique<InductionFlow>(); });

}  // namespace

}  // namespace fovea
