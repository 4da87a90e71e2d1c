// Probe `induction-exact`: model `induction-exact` on task `induction` beside the flows of three numbers (room
// probe/exact). The Evaluator (lab/train) calls it at each evaluation; it changes nothing. The numbers are in the
// model's own units. T is the number of positions before the query.
//
//   previous_logit     a_1
//   match_strength     mean of the diagonal of c M
//   copy_strength      mean of the diagonal of c W
//   event_loss         half of log T; where the output is frozen, halfway from uniform attention to the right position
//
// At the first evaluation, from the data and the model's settings, before any update:
//
//   causal_time        until the loss is there, by the flow with a causal first layer   theory/causal_induction.h
//   everywhere_time    by that whose first layer reads T positions everywhere             theory/induction_flow.h
//   sign_time          by descent along the signs of the causal flow's slopes: Adam without noise
//
// Times are sums of learning rates of plain descent (sign_time: of Adam). Divided by the rate they are steps.
#include "fovea/probe/position_rows.h"
#include "fovea/probe/systems/own_matrix.h"
#include "fovea/theory/streams/stream_prediction.h"

namespace fovea {

namespace {

class InductionExactProbe final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::token_streams, "induction-exact");
    context_ = {static_cast<double>(shape.longest - 1), shape.vocab};
  }

  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const ParameterView *const lags = find_parameter(evaluation.parameters, "lags"),
                               *const match = find_parameter(evaluation.parameters, "match"),
                               *const output = find_parameter(evaluation.parameters, "output"),
                               *const scale = find_parameter(evaluation.parameters, "scale");
    if (!lags || !match || !output || !scale)
      throw wrong_input("probe 'induction-exact' reads the parameters of model 'induction-exact'",
                        "use that model, or remove the probe");
    const double c = static_cast<double>(scale->values[0]);
    const double copy = c * mean_of_diagonal(*output);
    readings.number("previous_logit", static_cast<double>(lags->values[1]));
    readings.number("match_strength", c * mean_of_diagonal(*match));
    readings.number("copy_strength", copy);
    if (context_.vocabulary < context_.positions)
      throw wrong_input("probe 'induction-exact' needs as many tokens as there are positions before the query",
                        "use a larger vocabulary, or remove the probe");
    const InductionClamps clamps{.start_copy = copy, .copy = output->group == Group::statistics};
    context_.level = induction_event(context_, clamps);
    readings.number("event_loss", context_.level);
    if (!evaluation.first) return;
    constexpr double until = 1e6;
    constexpr FlowOptions options{.tolerance = 1e-8};
    context_.first_layer = InductionContext::FirstLayer::everywhere;
    readings.number("everywhere_time", induction_time(context_, clamps, until, options));
    context_.first_layer = InductionContext::FirstLayer::causal;
    readings.number("causal_time", induction_time(context_, clamps, until, options));
    readings.number("sign_time", induction_sign_time(context_, clamps));
  }

 private:
  static double mean_of_diagonal(const ParameterView& view) {
    const Index size = std::min(view.shape[0], view.shape[1]);
    double sum = 0;
    for (Index i = 0; i < size; ++i)
      sum += static_cast<double>(view.values[static_cast<std::size_t>(i * view.shape[1] + i)]);
    return sum / static_cast<double>(size);
  }

  InductionContext context_;
};

const Register<Probe> induction_exact_probe("induction-exact",
                                            "the three parts of model induction-exact, and when a head should form",
                                            [] { return std::make_unique<InductionExactProbe>(); });

}  // namespace

}  // namespace fovea
