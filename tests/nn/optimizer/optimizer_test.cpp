#include "fovea/nn/optimizer/optimizer.h"

#include <hwy/targets.h>

#include "tests/nn/gradient_check.h"
#include "tests/nn/optimizer/update_rules.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// Groups that take turns, so that stretches are many and of odd sizes; one of them is larger than a piece.
struct Model {
  Model() {
    parameters.add("a", {7}, Init::normal(1));
    parameters.add("b", {40000}, Init::normal(1));
    parameters.add("score", {33}, Init::normal(1), Group::attention);
    parameters.add("mean", {5}, Init::constant(2), Group::statistics);
    parameters.add("c", {3, 3}, Init::normal(1));
    parameters.add("late", {1}, Init::normal(1), Group::attention);
    parameters.finish();
    parameters.initialise(4);
  }
  void draw_gradients(std::uint64_t seed) {
    for (const Param<float>& p : parameters.all())
      if (p.group != Group::statistics) std::ranges::copy(random_values<float>(seed, p.count()), p.gradient);
  }
  std::vector<float> of(Group group) const {
    std::vector<float> values;
    for (const Param<float>& p : parameters.all())
      if (p.group == group) values.insert(values.end(), p.values().begin(), p.values().end());
    return values;
  }
  ParameterSet<float> parameters;
};

TEST(Optimizer, IsTheSameBitsForAnyTeam) {
  for (const UpdateRule* const rule : every_update_rule()) {
    std::vector<std::vector<float>> ends;
    for (const int threads : {1, 2, 5}) {
      Model model;
      Team team(threads);
      Optimizer<float> optimizer(model.parameters, *rule, {.weight_decay = 0.1, .clip = 3});
      for (std::uint64_t step = 0; step < 5; ++step) {
        model.draw_gradients(step);
        optimizer.step(team, 0.01);
      }
      ends.push_back(copy_of(model.parameters.values()));
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], ends[2]);
  }
}

TEST(Optimizer, StatisticsNeverMoveAndPaddingStaysZero) {
  for (const UpdateRule* const rule : every_update_rule()) {
    Model model;
    Team team;
    Optimizer<float> optimizer(model.parameters, *rule, {.weight_decay = 0.1});
    model.draw_gradients(1);
    for (int step = 0; step < 3; ++step) optimizer.step(team, 0.01);
    EXPECT_EQ(model.of(Group::statistics), std::vector<float>(5, 2.0f));
    double sum = 0, inside = 0;
    for (const float v : model.parameters.values()) sum += std::abs(static_cast<double>(v));
    for (const Param<float>& p : model.parameters.all())
      for (const float v : p.values()) inside += std::abs(static_cast<double>(v));
    EXPECT_EQ(sum, inside);
  }
}

TEST(Optimizer, AFrozenGroupStandsStillAndThawsAsIfNew) {
  for (const UpdateRule* const rule : every_update_rule()) {
    Model held, late;
    Team team;
    const OptimizerSettings settings{.weight_decay = 0.1};
    Optimizer<float> optimizer(held.parameters, *rule, settings), reference(late.parameters, *rule, settings);
    const std::vector<float> start = held.of(Group::attention);
    held.draw_gradients(1);
    for (int step = 0; step < 4; ++step) optimizer.step(team, 0.01, {{Pace{}, Pace{1, true}}});
    EXPECT_EQ(held.of(Group::attention), start);
    EXPECT_NE(held.of(Group::body), late.of(Group::body));
    // What follows the thaw is what a fresh optimiser does.
    late.draw_gradients(1);
    for (int step = 0; step < 3; ++step) {
      optimizer.step(team, 0.01);
      reference.step(team, 0.01);
    }
    EXPECT_EQ(held.of(Group::attention), late.of(Group::attention));
  }
}

TEST(Optimizer, AGroupsPaceIsItsShareOfTheRate) {
  for (const UpdateRule* const rule : every_update_rule()) {
    Model paced, plain;
    Team team;
    const OptimizerSettings settings{.weight_decay = 0.1};
    Optimizer<float> optimizer(paced.parameters, *rule, settings), reference(plain.parameters, *rule, settings);
    paced.draw_gradients(1);
    plain.draw_gradients(1);
    optimizer.step(team, 0.01, {{Pace{}, Pace{0.25, false}}});
    reference.step(team, 0.0025);
    EXPECT_EQ(paced.of(Group::attention), plain.of(Group::attention));
    EXPECT_NE(paced.of(Group::body), plain.of(Group::body));
  }
}

// "b" has names 1 and 2, "c" has name 2; while either of its names is frozen, a parameter is.
TEST(Optimizer, WhatBelongsToAFrozenNameStandsStillAloneAndThawsAsIfNew) {
  const std::vector<std::uint64_t> names{0, 0b11, 0, 0, 0b10, 0};
  const auto values = [](const Model& model, const char* name) {
    return copy_of(model.parameters.find(name)->values());
  };
  for (const UpdateRule* const rule : every_update_rule()) {
    Model held, late, free;
    Team team;
    const OptimizerSettings settings{.weight_decay = 0.1};
    Optimizer<float> optimizer(held.parameters, *rule, settings, names), of_late(late.parameters, *rule, settings),
        of_free(free.parameters, *rule, settings);
    const auto step = [&](Model& model, Optimizer<float>& its, std::uint64_t number, std::uint64_t frozen) {
      model.draw_gradients(number);
      Paces paces;
      paces.frozen_names = frozen;
      its.step(team, 0.01, paces);
    };
    const std::vector<float> b = values(held, "b"), c = values(held, "c");
    for (std::uint64_t number = 0; number < 4; ++number) {
      step(held, optimizer, number, number == 3 ? 0b01 : 0b10);
      step(free, of_free, number, 0);
      EXPECT_EQ(values(held, "b"), b);
      EXPECT_EQ(values(held, "c") == c, number < 3);
    }
    step(held, optimizer, 9, 0);
    step(free, of_free, 9, 0);
    step(late, of_late, 9, 0);
    EXPECT_EQ(values(held, "b"), values(late, "b"));
    EXPECT_NE(values(held, "b"), values(free, "b"));
    for (const char* name : {"a", "score", "late"}) EXPECT_EQ(values(held, name), values(free, name)) << name;
  }
}

TEST(Optimizer, ClippingScalesTheWholeGradientAndLeavesFrozenGroupsOut) {
  Model model;
  Team team;
  model.draw_gradients(1);
  Optimizer<float> optimizer(model.parameters, update_rule("sgd"), {.clip = 2});
  const Paces paces{{Pace{1, true}, Pace{}}};
  double squares = 0;
  for (const Param<float>& p : model.parameters.all())
    if (p.group == Group::attention)
      for (const float g : p.gradients()) squares += static_cast<double>(g) * static_cast<double>(g);
  const std::vector<float> before = model.of(Group::attention);
  EXPECT_NEAR(optimizer.step(team, 1, paces), std::sqrt(squares), 1e-9);
  Optimizer<float> unclipped(model.parameters, update_rule("adam"));
  EXPECT_EQ(unclipped.step(team, 0, paces), optimizer.step(team, 0, paces));  // the norm is told without clipping, too
  const std::vector<float> after = model.of(Group::attention);
  double moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += std::pow(static_cast<double>(after[i] - before[i]), 2);
  EXPECT_NEAR(std::sqrt(moved), 2, 1e-5);
}

TEST(Optimizer, NormalisingMakesEveryStepOfOneLength) {
  for (const float size : {1e-3f, 50.0f}) {
    Model model;
    Team team;
    model.draw_gradients(1);
    for (float& g : model.parameters.gradients()) g *= size;
    Optimizer<float> optimizer(model.parameters, update_rule("sgd"), {.normalize = true});
    std::vector<float> before(model.parameters.values().begin(), model.parameters.values().end());
    optimizer.step(team, 0.25);
    double moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      moved += std::pow(static_cast<double>(model.parameters.values()[i] - before[i]), 2);
    EXPECT_NEAR(std::sqrt(moved), 0.25, 1e-5) << size;
    model.parameters.clear_gradients();
    before.assign(model.parameters.values().begin(), model.parameters.values().end());
    optimizer.step(team, 0.25);
    EXPECT_TRUE(std::ranges::equal(before, model.parameters.values())) << "a gradient of 0 moves nothing";
  }
}

TEST(Optimizer, TheNormIsTheSameBitsOnEveryProcessor) {
  Team team;
  std::vector<double> norms;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const UpdateRule* const rule : every_update_rule())
      for (const double clip : {0.0, 2.0}) {
        Model model;
        model.draw_gradients(1);
        norms.push_back(Optimizer<float>(model.parameters, *rule, {.clip = clip}).step(team, 0.01));
      }
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GT(norms[0], 0);
  for (const double norm : norms) EXPECT_EQ(norm, norms[0]);
}

TEST(Optimizer, MomentsAndStepsAreAllThatACheckpointNeeds) {
  for (const UpdateRule* const rule : every_update_rule()) {
    Model whole, resumed;
    Team team;
    Optimizer<float> first(whole.parameters, *rule);
    whole.draw_gradients(1);
    for (int step = 0; step < 3; ++step) first.step(team, 0.01);
    Optimizer<float> second(resumed.parameters, *rule);
    std::ranges::copy(whole.parameters.values(), resumed.parameters.values().begin());
    std::ranges::copy(first.first_moments(), second.first_moments().begin());
    std::ranges::copy(first.second_moments(), second.second_moments().begin());
    std::ranges::copy(first.steps_taken(), second.steps_taken().begin());
    resumed.draw_gradients(1);
    for (int step = 0; step < 3; ++step) {
      first.step(team, 0.01);
      second.step(team, 0.01);
    }
    EXPECT_EQ(copy_of(whole.parameters.values()), copy_of(resumed.parameters.values()));
  }
}

TEST(Optimizer, KeepsTheMomentsThatItsRuleHas) {
  Model model;
  EXPECT_TRUE(Optimizer<float>(model.parameters, update_rule("sgd")).first_moments().empty());
  const Optimizer<float> momentum(model.parameters, update_rule("sgd", {{"momentum", {0.9, {}}}}));
  EXPECT_EQ(momentum.first_moments().size(), model.parameters.values().size());
  EXPECT_TRUE(momentum.second_moments().empty());
  const Optimizer<float> adam(model.parameters, update_rule("adam"));
  EXPECT_EQ(adam.second_moments().size(), model.parameters.values().size());
}

TEST(Schedule, StaysAtItsFloorAfterTheEnd) {
  for (const char* const name : {"linear", "cosine"}) {
    const Schedule& schedule = part_named<Schedule>(name, {{"floor", {0.2, {}}}});
    EXPECT_DOUBLE_EQ(schedule.at(0, 10, 0), 1);
    EXPECT_DOUBLE_EQ(schedule.at(10, 10, 0), 0.2);
    EXPECT_DOUBLE_EQ(schedule.at(1000, 10, 0), 0.2);
  }
}

}  // namespace
}  // namespace fovea
