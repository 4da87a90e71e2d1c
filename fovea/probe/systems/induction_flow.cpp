// Probe `induction-flow`: the predicted time until an induction head forms in the streams of a task (room
// probe/systems). The Evaluator (lab/train) calls it at the first evaluation; it changes nothing. It computes the
// gradient flow of three scalars (theory/induction_flow.h).
//
//   flow_time                 if each token has a memory of its own, as in a model
//   flow_time_shared_memory   if one memory serves all tokens
//   flow_time_stream_length   for the positions of a whole stream and all tokens, whatever the data are, if there are
//                             as many tokens
//   flow_positions, flow_asking_tokens    the context that these are for, read off the data
//                             (theory/streams/stream_prediction.h)
//
// The time is until the loss is half of log T. The bag of the context leaves log T. Times of a flow order settings;
// they are not steps. (The flow's context has T different tokens, that of task `induction` T - 1.)
#include "fovea/theory/induction_flow.h"

#include "fovea/base/functions/functions.h"
#include "fovea/probe/position_rows.h"
#include "fovea/theory/streams/stream_prediction.h"

namespace fovea {

namespace {

constexpr std::int64_t sampled = 4000;  // sequences

class InductionFlow final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::token_streams, "induction-flow");
    longest_ = {static_cast<double>(shape.longest), shape.vocab};
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (!evaluation.first) return;
    const std::optional<InductionContext> context = induction_context(StreamSample(evaluation.task, sampled));
    if (!context)
      throw wrong_input(
          "probe 'induction-flow' needs a task whose answers all follow an earlier copy of the asking token, and fewer "
          "positions than tokens",
          "remove the probe");
    readings.number("flow_positions", context->positions);
    readings.number("flow_asking_tokens", context->asking);
    readings.number("flow_time", time(*context, InductionContext::Memory::own));
    readings.number("flow_time_shared_memory", time(*context, InductionContext::Memory::shared));
    if (longest_.vocabulary >= longest_.positions)
      readings.number("flow_time_stream_length", time(longest_, InductionContext::Memory::own));
  }

 private:
  static double time(InductionContext context, InductionContext::Memory memory) {
    context.level = math::log(context.positions) / 2;
    context.memory = memory;
    return induction_time(context);
  }

  InductionContext longest_;
};

const Register<Probe> induction_flow_probe("induction-flow",
                                           "time until an induction head forms, predicted from the data",
                                           [] { return std::make_unique<InductionFlow>(); });

}  // namespace

}  // namespace fovea
