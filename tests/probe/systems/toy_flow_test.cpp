#include <cmath>
#include <numbers>

#include "fovea/base/error/error.h"
#include "fovea/theory/toy_gate.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// A toy gate at a point, as the probe sees it.
struct ToyLook : HandMade {
  float values[3] = {0, 0, 0};

  ToyLook(float beta0, float beta1, float gate, double loss, const std::string& name = "p") {
    const char* const names[2] = {"beta0", "beta1"};
    for (int i = 0; i < 2; ++i) parameters.push_back({names[i], {1}, Group::body, {&values[i], 1}});
    parameters.push_back({name, {1}, Group::attention, {&values[2], 1}});
    values[0] = beta0, values[1] = beta1, values[2] = gate;
    outcome.loss = loss;
  }
};

TEST(ToyFlowProbe, UniformStart) {
  const ToyLook look(0, 0, 0.5f, 0);
  const auto said = look.ask(*look.prepared("toy-flow"));
  const double truth = std::acosh(2.0) / std::numbers::sqrt2;
  EXPECT_NEAR(said.numbers.at("tau_p_reaches_1"), truth, 1e-14);
  EXPECT_NEAR(said.numbers.at("tau_p_reaches_1_ode"), truth, 1e-10);
  EXPECT_EQ(said.numbers.at("attention_slope_start"), 0);
  EXPECT_EQ(said.numbers.at("flow_reaches_key"), 1);
  EXPECT_EQ(said.numbers.at("key_wins_predicted"), 1);
  EXPECT_NEAR(said.numbers.at("descent_order"), 1, 0.1);
  EXPECT_LT(said.numbers.at("invariant_sum_drift"), 1e-12);
  EXPECT_LT(said.numbers.at("invariant_hyperbola_drift"), 1e-11);
  EXPECT_LT(said.numbers.at("ode_distance"), 1e-11);
  EXPECT_EQ(said.arrays.at("gd_distance_by_rate").size(), 14u);
}

TEST(ToyFlowProbe, MistakenStartNeverRecovers) {
  const ToyLook look(10, -10, 0.5f, 10);
  const auto said = look.ask(*look.prepared("toy-flow"));
  EXPECT_EQ(said.numbers.at("flow_reaches_key"), 0);
  EXPECT_EQ(said.numbers.at("key_wins_predicted"), -1);
  EXPECT_EQ(said.numbers.at("attention_slope_start"), -20);
  EXPECT_EQ(said.numbers.count("tau_p_reaches_1"), 0u);
  EXPECT_EQ(said.numbers.count("tau_p_reaches_1_ode"), 0u);
}

TEST(ToyFlowProbe, LaterLooksFollowTheFlow) {
  ToyLook look(0, 0, 0.5f, 0);
  const auto probe = look.prepared("toy-flow");
  look.ask(*probe);
  look.step = 10;
  look.time = 0.5;
  look.values[2] = 0.6f;
  const auto said = look.ask(*probe).numbers;
  const ToyPoint truth = toy_closed_form({0, 0, 0.5}, 0.5);
  EXPECT_DOUBLE_EQ(said.at("p_flow"), truth.gate);
  EXPECT_DOUBLE_EQ(said.at("D_flow"), truth.difference());
  EXPECT_NEAR(said.at("p"), 0.6, 1e-7);
  EXPECT_EQ(said.at("tau"), 0.5);
  EXPECT_EQ(said.at("key_wins"), 1);
  EXPECT_EQ(said.count("descent_order"), 0u) << "theory is said once";
}

TEST(ToyFlowProbe, TellsTheVariantByParametersAndLoss) {
  ToyLook look(0.5f, -0.25f, 0.5f, 0, "a");
  constexpr ToyVariant variant{ToyVariant::Gate::bounded, ToyVariant::Loss::logistic};
  const ToyPoint start{0.5, -0.25, 0.5};
  look.outcome.loss = toy_loss(variant, start);
  const auto probe = look.prepared("toy-flow");
  EXPECT_EQ(look.ask(*probe).numbers.count("key_wins_predicted"), 0u);
  for (const double time : {0.7, 2.0}) {
    look.step += 1;
    look.time = time;
    const double times[] = {time};
    const auto said = look.ask(*probe).numbers;
    EXPECT_NEAR(said.at("p_flow"), toy_attention(variant, toy_flow(variant, start, times).front()), 1e-11);
    EXPECT_EQ(said.count("key_wins"), 0u);
  }
}

TEST(ToyFlowProbe, RefusesAnotherLoss) {
  const ToyLook look(0.5f, -0.25f, 0.5f, 3);
  EXPECT_THROW(look.ask(*look.prepared("toy-flow")), Error);
}

}  // namespace
}  // namespace fovea
