#include "fovea/theory/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cassert>
#include <cmath>
#include <limits>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

namespace odeint = boost::numeric::odeint;

// The next step from the error of the last one, in units of the tolerance: 0.9 dt error^(-1/order), at least dt/5 and
// at most 4.5 dt. odeint's own has the power from the C library.
class StepAdjuster {
 public:
  double decrease_step(double dt, double error, int order) const {
    return dt * std::max(0.9 * math::pow(error, -1.0 / (order - 1)), 0.2);
  }
  double increase_step(double dt, double error, int order) const {
    return error < 0.5 ? dt * 0.9 * math::pow(std::max(math::pow(5.0, -order), error), -1.0 / order) : dt;
  }
  bool check_step_size_limit(double) const { return true; }
  double get_max_dt() const { return 0; }
};

using Dopri5 = odeint::runge_kutta_dopri5<FlowState>;
using ErrorChecker = odeint::default_error_checker<double, Dopri5::algebra_type, Dopri5::operations_type>;
using Controlled = odeint::controlled_runge_kutta<Dopri5, ErrorChecker, StepAdjuster>;

class Walk {
 public:
  Walk(const FlowField& field, const FlowState& start, const FlowOptions& options)
      : field_(field),
        options_(options),
        stepper_(Controlled(ErrorChecker(options.tolerance, options.tolerance))),
        state_(start.size()) {
    constexpr double first_step = 1e-3;  // a guess: the integrator corrects it at once
    stepper_.initialize(start, 0.0, first_step);
  }

  // One step of the integrator's own choice; afterwards times in [begin(), end()] can be asked for.
  void step() {
    const auto system = [this](const FlowState& state, FlowState& change, double) { field_(state, change); };
    bool found = ++steps_ <= options_.most_steps;
    if (found) {
      try {
        stepper_.do_step(system);
      } catch (const odeint::odeint_error&) {
        found = false;
      }
    }
    const FlowState& now = stepper_.current_state();
    if (!found || !std::all_of(now.begin(), now.end(), [](double x) { return std::isfinite(x); })) {
      throw failure(fmt::format("the gradient flow cannot be followed past time {:.6g}", begin()),
                    "end it earlier, or start from smaller parameters");
    }
  }

  bool spent() const { return steps_ >= options_.most_steps; }
  double begin() const { return stepper_.previous_time(); }
  double end() const { return stepper_.current_time(); }
  const FlowState& newest() const { return stepper_.current_state(); }
  const FlowState& at(double time) {
    stepper_.calc_state(time, state_);
    return state_;
  }

 private:
  const FlowField& field_;
  FlowOptions options_;
  odeint::dense_output_runge_kutta<Controlled> stepper_;
  FlowState state_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::vector<FlowState> follow_flow(const FlowField& field, const FlowState& start, std::span<const double> times,
                                   const FlowOptions& options) {
  assert(std::is_sorted(times.begin(), times.end()) && (times.empty() || times.front() >= 0));
  std::vector<FlowState> states;
  states.reserve(times.size());
  Walk walk(field, start, options);
  for (const double time : times) {
    if (time == 0) {
      states.push_back(start);
      continue;
    }
    while (walk.end() < time) walk.step();
    states.push_back(walk.at(time));
  }
  return states;
}

bool watch_flow(const FlowField& field, const FlowState& start, std::span<const double> times,
                const std::function<bool(double, const FlowState&)>& visit, const FlowOptions& options) {
  Walk walk(field, start, options);
  for (const double time : times) {
    while (walk.end() < time) {
      if (walk.spent()) return false;
      walk.step();
    }
    if (!visit(time, time == 0 ? start : walk.at(time))) return false;
  }
  return true;
}

double first_flow_time(const FlowField& field, const FlowState& start,
                       const std::function<double(const FlowState&)>& reached, double until,
                       const FlowOptions& options) {
  constexpr double never = std::numeric_limits<double>::infinity();
  double before = reached(start);
  if (before >= 0) return 0;
  Walk walk(field, start, options);
  while (walk.end() < until) {
    walk.step();
    const double after = reached(walk.newest());
    if (after >= 0) {
      std::uintmax_t most_tries = 200;
      const auto [low, high] = boost::math::tools::toms748_solve(
          [&](double time) { return reached(walk.at(time)); }, walk.begin(), walk.end(), before, after,
          boost::math::tools::eps_tolerance<double>(), most_tries);
      const double time = low + (high - low) / 2;
      return time <= until ? time : never;
    }
    before = after;
  }
  return never;
}

DescentOrder descent_order(double tau, const std::function<double(double rate, std::int64_t steps)>& distance) {
  DescentOrder result;
  double mean_x = 0, mean_y = 0;
  for (int power = 4; power <= 10; ++power) {
    const double rate = std::ldexp(1.0, -power);
    const auto steps = std::llround(tau / rate);
    assert(static_cast<double>(steps) * rate == tau);
    result.rates.push_back(rate);
    result.distances.push_back(distance(rate, steps));
    mean_x += math::log(rate) / 7;
    mean_y += math::log(result.distances.back()) / 7;
  }
  double over = 0, under = 0;
  for (std::size_t i = 0; i < result.rates.size(); ++i) {
    const double x = math::log(result.rates[i]) - mean_x;
    over += x * (math::log(result.distances[i]) - mean_y);
    under += x * x;
  }
  result.order = over / under;
  return result;
}

}  // namespace fovea
