#include "fovea/theory/toy_gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

constexpr double root = std::numbers::sqrt2;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr ToyVariant linear{};
constexpr ToyVariant bounded{ToyVariant::Gate::bounded, ToyVariant::Loss::linear};
constexpr ToyVariant logistic_loss{ToyVariant::Gate::linear, ToyVariant::Loss::logistic};
constexpr ToyVariant bounded_logistic{ToyVariant::Gate::bounded, ToyVariant::Loss::logistic};
constexpr ToyPoint uniform{0, 0, 0.5}, mistaken{10, -10, 0.5}, odd{0.3, -0.2, 0.7};

TEST(ToyGate, SlopeIsMinusTheGradientOfTheLoss) {
  for (const ToyVariant variant : {linear, bounded, logistic_loss, bounded_logistic}) {
    for (const ToyPoint& at : {uniform, odd, ToyPoint{-2, 5, -1.5}}) {
      const double h = 1e-5;
      const auto change = [&](double b0, double b1, double g) {
        const ToyPoint more{at.beta0 + b0, at.beta1 + b1, at.gate + g}, less{at.beta0 - b0, at.beta1 - b1, at.gate - g};
        return (toy_loss(variant, more) - toy_loss(variant, less)) / (2 * h);
      };
      const ToyPoint slope = toy_slope(variant, at);
      EXPECT_NEAR(slope.beta0, -change(h, 0, 0), 1e-9);
      EXPECT_NEAR(slope.beta1, -change(0, h, 0), 1e-9);
      EXPECT_NEAR(slope.gate, -change(0, 0, h), 1e-9);
    }
  }
}

TEST(ToyGate, FlowIsTheOneWrittenInTheBook) {
  const ToyPoint slope = toy_slope(linear, odd);
  EXPECT_DOUBLE_EQ(slope.beta0, -0.7);
  EXPECT_DOUBLE_EQ(slope.beta1, 0.7);
  EXPECT_DOUBLE_EQ(slope.gate, -0.5);
}

TEST(ToyGate, ClosedFormSolvesTheFlow) {
  const double h = 1e-4;
  for (const ToyPoint& start : {uniform, odd, mistaken}) {
    for (const double tau : {0.2, 1.0, 2.5}) {
      const ToyPoint more = toy_closed_form(start, tau + h), less = toy_closed_form(start, tau - h);
      const ToyPoint slope = toy_slope(linear, toy_closed_form(start, tau));
      const double size = 1 + std::abs(slope.gate) + std::abs(slope.beta1);
      EXPECT_NEAR((more.beta0 - less.beta0) / (2 * h), slope.beta0, 1e-7 * size);
      EXPECT_NEAR((more.beta1 - less.beta1) / (2 * h), slope.beta1, 1e-7 * size);
      EXPECT_NEAR((more.gate - less.gate) / (2 * h), slope.gate, 1e-7 * size);
    }
    const ToyPoint at_once = toy_closed_form(start, 0);
    EXPECT_DOUBLE_EQ(at_once.beta0, start.beta0);
    EXPECT_DOUBLE_EQ(at_once.beta1, start.beta1);
    EXPECT_DOUBLE_EQ(at_once.gate, start.gate);
  }
}

TEST(ToyGate, IntegrationAgreesWithTheClosedForm) {
  const double times[] = {0, 0.1, 0.5, 0.93, 1.7, 3};
  for (const ToyPoint& start : {uniform, odd, mistaken, ToyPoint{-50, 150, 0.5}}) {
    const auto states = toy_flow(linear, start, times);
    ASSERT_EQ(states.size(), std::size(times));
    for (std::size_t i = 0; i < states.size(); ++i) {
      const ToyPoint truth = toy_closed_form(start, times[i]);
      const double size = 1 + std::abs(truth.gate) + std::abs(truth.beta0) + std::abs(truth.beta1);
      EXPECT_NEAR(states[i].beta0, truth.beta0, 1e-9 * size);
      EXPECT_NEAR(states[i].beta1, truth.beta1, 1e-9 * size);
      EXPECT_NEAR(states[i].gate, truth.gate, 1e-9 * size);
    }
  }
}

TEST(ToyGate, TimeToReachOneFromTheUniformStart) {
  const double truth = std::acosh(2.0) / root;
  EXPECT_NEAR(truth, 0.93122, 1e-5);
  EXPECT_NEAR(toy_closed_form_time(uniform, 1), truth, 1e-15);
  EXPECT_NEAR(toy_flow_time(linear, uniform, 1, 10), truth, 1e-10);
}

TEST(ToyGate, TimeToReachALevelFromAnyStart) {
  int reached = 0, never = 0;
  for (const double d : {-3.0, -1.0, -0.1, 0.0, 0.4, 2.0}) {
    for (const double p : {-2.0, -0.3, 0.0, 0.2, 0.9, 1.5}) {
      for (const double level : {1.0, 0.25, -0.15}) {
        const ToyPoint start{0, d, p};
        const double time = toy_closed_form_time(start, level);
        const double integrated = toy_flow_time(linear, start, level, 40);
        if (time == infinity) {
          EXPECT_EQ(integrated, infinity) << d << " " << p << " " << level;
          ++never;
        } else {
          EXPECT_NEAR(integrated, time, 1e-9) << d << " " << p << " " << level;
          EXPECT_GE(toy_closed_form(start, time).gate, level - 1e-12);
          ++reached;
        }
      }
    }
  }
  EXPECT_GT(reached, 30);
  EXPECT_GT(never, 20);
}

TEST(ToyGate, OnTheSeparatrixNothingIsReached) {
  const ToyPoint start{0, -root * 0.5, 0.5};
  EXPECT_NEAR(toy_above_separatrix(start), 0, 1e-16);
  EXPECT_NEAR(toy_closed_form(start, 3).gate, 0.5 * std::exp(-3 * root), 1e-12);
  EXPECT_GT(toy_closed_form_time(start, 1), 20);
}

TEST(ToyGate, SideOfTheSeparatrixIsTheFate) {
  for (const double d : {-3.0, -1.0, -0.71, -0.70, 0.5}) {
    const ToyPoint start{0, d, 0.5};
    EXPECT_EQ(toy_closed_form(start, 12).gate > 0, toy_above_separatrix(start) > 0) << d;
  }
  EXPECT_LT(toy_above_separatrix(mistaken), 0);
}

TEST(ToyGate, InvariantsHoldAlongTheFlow) {
  const double times[] = {0.3, 1, 2};
  for (const ToyVariant variant : {linear, bounded}) {
    const ToyInvariants before = toy_invariants(variant, odd);
    for (const ToyPoint& point : toy_flow(variant, odd, times)) {
      const ToyInvariants now = toy_invariants(variant, point);
      EXPECT_NEAR(now.sum, before.sum, 1e-10);
      EXPECT_NEAR(now.hyperbola, before.hyperbola, 1e-9);
    }
  }
  EXPECT_NEAR(toy_invariants(linear, odd).hyperbola, 0.25 - 2 * 0.49, 1e-15);
}

TEST(ToyGate, DescentConvergesWithOrderOne) {
  for (const ToyVariant variant : {linear, bounded, logistic_loss, bounded_logistic}) {
    const DescentOrder found = toy_descent_order(variant, odd, 0.75);
    EXPECT_EQ(found.rates.front(), 1.0 / 16);
    EXPECT_EQ(found.rates.back(), 1.0 / 1024);
    EXPECT_NEAR(found.order, 1, 0.1);
    for (std::size_t i = 1; i < found.distances.size(); ++i) EXPECT_LT(found.distances[i], found.distances[i - 1]);
  }
}

TEST(ToyGate, LowLossWithUniformAttention) {
  for (const double k : {1.0, 10.0, 1e6}) EXPECT_DOUBLE_EQ(toy_loss(linear, {-k, 3 * k, 0.5}), -2 * k);
}

// Where the linear gate is lost for ever, the bounded one comes back: it can fall no further than a + e^a = 1 - D0^2/4.
TEST(ToyGate, BoundedGateRecoversFromAMistake) {
  const ToyPoint start{0, -3, 0};
  EXPECT_EQ(toy_closed_form_time({0, -3, 0.5}, 0.9), infinity);
  const double time = toy_flow_time(bounded, start, 0.9, 1000);
  ASSERT_LT(time, 1000);
  const double times[] = {time};
  EXPECT_NEAR(toy_attention(bounded, toy_flow(bounded, start, times).front()), 0.9, 1e-9);
  EXPECT_EQ(toy_flow_time(bounded, start, 0.9, time * 0.999), infinity);
}

// The way back takes sqrt(pi) e^{D0^2/4 - 1} from a0 = 0 to leading order (docs/reference/toy-gate.md).
TEST(ToyGate, BoundedGateRecoversInTheTimeForetold) {
  const double d0 = -6.5;
  const double predicted = std::sqrt(std::numbers::pi) * std::exp(d0 * d0 / 4 - 1);
  EXPECT_NEAR(toy_flow_time(bounded, {0, d0, 0}, 0.9, 1e6) / predicted, 1, 0.01);
}

TEST(Flow, LeavingTheFiniteNumbersIsAFailure) {
  const FlowField blows_up = [](const FlowState& x, FlowState& change) { change[0] = x[0] * x[0]; };
  const double times[] = {0.5, 2};
  EXPECT_THROW(follow_flow(blows_up, {1}, times, {.tolerance = 1e-10, .most_steps = 100'000}), Error);
  const double early[] = {0.5};
  EXPECT_NEAR(follow_flow(blows_up, {1}, early).front()[0], 2, 1e-9);
}

}  // namespace
}  // namespace fovea
