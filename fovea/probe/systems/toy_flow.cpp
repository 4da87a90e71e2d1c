// Probe `toy-flow`: a toy gate in training beside its theory (docs/reference/toy-gate.md) (room probe/systems). The
// Evaluator (lab/train) calls it at each evaluation; it changes nothing. At the first one it reads the start from the
// parameters, and the loss from the model's outcome.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/probe/probe.h"
#include "fovea/theory/toy_gate.h"

namespace fovea {

namespace {

class ToyFlow : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.number("tau", tau_, 1.0 / 16, 64, "flow time at which descent is compared, in sixteenths");
    fields.number("level", level_, -1e30, 1e30, "p whose first time is sought");
    fields.number("horizon", horizon_, 0, 1e12, "flow time up to which the integration seeks it");
  }

  void prepare(const TaskShape&, bool, std::uint64_t) override {
    if (tau_ * 16 != std::floor(tau_ * 16)) {
      throw wrong_input(fmt::format("probe 'toy-flow': tau = {} is not a multiple of 1/16", tau_),
                        fmt::format("take {}", std::ceil(tau_ * 16) / 16));
    }
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const ToyPoint point = read_point(evaluation);
    if (evaluation.first) {
      start_ = flow_ = point;
      flow_time_ = 0;
      variant_.loss = loss_of(evaluation, point);
      measure_theory(readings);
    }
    follow(evaluation.time);
    readings.number("p", toy_attention(variant_, point));
    readings.number("D", point.difference());
    readings.number("p_flow", toy_attention(variant_, flow_));
    readings.number("D_flow", flow_.difference());
    readings.number("loss_flow", toy_loss(variant_, flow_));
    readings.number("flow_distance",
                    math::hypot(point.beta0 - flow_.beta0, point.beta1 - flow_.beta1, point.gate - flow_.gate));
    readings.number("tau", evaluation.time);
    if (variant_.gate == ToyVariant::Gate::linear) readings.number("key_wins", point.gate > 0 ? 1 : -1);
  }

  std::vector<double> memory() const override {
    return {start_.beta0, start_.beta1, start_.gate, flow_.beta0,
            flow_.beta1,  flow_.gate,   flow_time_,  variant_.loss == ToyVariant::Loss::linear ? 0.0 : 1.0};
  }
  bool remember(std::span<const double> memory) override {
    if (memory.size() != 8) return false;
    start_ = {memory[0], memory[1], memory[2]};
    flow_ = {memory[3], memory[4], memory[5]};
    flow_time_ = memory[6];
    variant_.loss = memory[7] == 0 ? ToyVariant::Loss::linear : ToyVariant::Loss::logistic;
    return true;
  }

 private:
  ToyPoint read_point(const Evaluation& evaluation) {
    bool bounded = false, known = false;
    for (const ParameterView& view : evaluation.parameters) {
      bounded |= view.name == "a" && view.values.size() == 1;
      known |= view.name == "beta0";
    }
    if (!known)
      throw wrong_input("probe 'toy-flow' measures the toy gate alone",
                        "use model 'toy-gate', or leave 'toy-flow' out of probe.names");
    variant_.gate = bounded ? ToyVariant::Gate::bounded : ToyVariant::Gate::linear;
    return {evaluation.parameter("beta0").values[0], evaluation.parameter("beta1").values[0],
            evaluation.parameter(bounded ? "a" : "p").values[0]};
  }

  ToyVariant::Loss loss_of(const Evaluation& evaluation, const ToyPoint& point) const {
    for (const ToyVariant::Loss loss : {ToyVariant::Loss::linear, ToyVariant::Loss::logistic}) {
      const double expected = toy_loss({variant_.gate, loss}, point);
      if (std::abs(evaluation.outcome.loss - expected) <= 1e-4 * (1 + std::abs(expected))) return loss;
    }
    throw wrong_input(
        fmt::format("probe 'toy-flow': the loss at the start, {:.6g}, is not the loss of the two sequences",
                    evaluation.outcome.loss),
        "use task 'two-sequences' unchanged, and attention learned from the start");
  }

  bool solved() const { return variant_ == ToyVariant{}; }

  void follow(double time) {
    if (solved()) {
      flow_ = toy_closed_form(start_, time);
    } else if (time > flow_time_) {
      const double times[] = {time - flow_time_};
      flow_ = toy_flow(variant_, flow_, times).front();
    }
    flow_time_ = time;
  }

  // What is known before any training.
  void measure_theory(Readings& readings) const {
    const double p = toy_attention(variant_, start_);
    const ToyPoint slope = toy_slope(variant_, start_);
    readings.number("attention_slope_start",
                    slope.gate * (variant_.gate == ToyVariant::Gate::bounded ? p * (1 - p) : 1));
    const std::string reaches = level_ == 1 ? "tau_p_reaches_1" : "tau_p_reaches_level";
    const double integrated = toy_flow_time(variant_, start_, level_, horizon_);
    readings.number("flow_reaches_key", std::isfinite(integrated) ? 1 : 0);
    if (std::isfinite(integrated)) readings.number(reaches + "_ode", integrated);
    if (solved()) {
      const double closed = toy_closed_form_time(start_, level_);
      if (std::isfinite(closed)) readings.number(reaches, closed);
      readings.number("key_wins_predicted", toy_above_separatrix(start_) > 0 ? 1 : -1);
    }
    if (variant_.loss == ToyVariant::Loss::linear) measure_drift(readings);

    const DescentOrder order = toy_descent_order(variant_, start_, tau_);
    readings.number("descent_distance_from_flow", order.distances.back());
    if (std::isfinite(order.order)) readings.number("descent_order", order.order);
    std::vector<float> table;  // (rates, 2)
    for (std::size_t i = 0; i < order.rates.size(); ++i) {
      table.push_back(static_cast<float>(order.rates[i]));
      table.push_back(static_cast<float>(order.distances[i]));
    }
    readings.array("gd_distance_by_rate", {static_cast<Index>(order.rates.size()), 2}, table);
  }

  // How far the integrated flow strays from its invariants on the way to tau, next to the size of what they are made
  // of.
  void measure_drift(Readings& readings) const {
    constexpr int points = 64;
    std::vector<double> times;
    for (int i = 1; i <= points; ++i) times.push_back(tau_ * i / points);
    const ToyInvariants before = toy_invariants(variant_, start_);
    double sum = 0, hyperbola = 0, integration = 0;
    for (std::size_t i = 0; const ToyPoint& point : toy_flow(variant_, start_, times)) {
      const double size = 1 + std::abs(point.beta0) + std::abs(point.beta1) + std::abs(point.gate);
      const ToyInvariants now = toy_invariants(variant_, point);
      sum = std::max(sum, std::abs(now.sum - before.sum) / size);
      hyperbola = std::max(hyperbola, std::abs(now.hyperbola - before.hyperbola) / (size * size));
      const ToyPoint truth = solved() ? toy_closed_form(start_, times[i]) : point;
      integration =
          std::max(integration,
                   math::hypot(point.beta0 - truth.beta0, point.beta1 - truth.beta1, point.gate - truth.gate) / size);
      ++i;
    }
    readings.number("invariant_sum_drift", sum);
    readings.number("invariant_hyperbola_drift", hyperbola);
    if (solved()) readings.number("ode_distance", integration);
  }

  double tau_ = 0.75, level_ = 1, horizon_ = 50;
  ToyVariant variant_;
  ToyPoint start_, flow_;
  double flow_time_ = 0;
};

const Register<Probe> toy_flow_probe("toy-flow",
                                     "the toy gate next to its closed form, its gradient flow and plain descent",
                                     [] { return std::make_unique<ToyFlow>(); });

}  // namespace

}  // namespace fovea
