// Model `induction-exact` with its parts set by hand, under rules of attention, and as it starts. Against PyTorch and
// central differences it is tested with the others (exact_reference_test.cpp).
#include <cmath>

#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using namespace fovea::testing;

TaskShape stream_of(int vocab, int longest) {
  TaskShape shape;
  shape.kind = Kind::token_streams;
  shape.vocab = shape.target_vocab = vocab;
  shape.longest = longest;
  return shape;
}

// 3 1 0 2 1 -> 0, and 2 3 1 0 3 -> 1.
Batch induction_batch() {
  Batch batch;
  batch.size = 2;
  batch.source.resize(2, 5);
  batch.source.ids = {3, 1, 0, 2, 1, 2, 3, 1, 0, 3};
  batch.target.resize(2, 5);
  batch.target.at(0, 4) = 0;
  batch.target.at(1, 4) = 1;
  batch.alignment = {-1, -1, -1, -1, 2, -1, -1, -1, -1, 2};
  return batch;
}

void set(ModelScene<double>& scene, const char* name, auto value_at) {
  const Param<double>& p = *scene.parameters.find(name);
  for (Index i = 0; i < p.count(); ++i) p.value[i] = value_at(i);
}

void draw(ModelScene<double>& scene) {
  RandomStream stream(9, "values");
  for (const char* const name : {"lags", "match", "output"})
    set(scene, name, [&](Index) { return 0.7 * stream.normal(); });
}

TEST(InductionExact, IsAnInductionHeadWhereItsPartsAreGiven) {
  const Batch batch = induction_batch();
  ModelScene<double> scene("induction-exact", {{"copy", real(60)}}, stream_of(4, 5));
  const auto on_diagonal = [](double value) { return [value](Index i) { return i % 5 == 0 ? value : 0.0; }; };
  EXPECT_NEAR(scene.forward(batch, {}).loss, std::log(4), 1e-9) << "all four tokens stand before the query";
  set(scene, "lags", [](Index lag) { return lag == 1 ? 60.0 : 0.0; });
  set(scene, "match", on_diagonal(60));
  const Trace<double> trace = scene.forward(batch, {});
  EXPECT_NEAR(trace.loss, 0, 1e-9);
  EXPECT_NEAR(trace.further[0].weights(0, 3, 2), 1, 1e-9);
  EXPECT_NEAR(trace.attention(0, 4, 2), 1, 1e-9);
  EXPECT_NEAR(trace.attention(1, 4, 2), 1, 1e-9);
  EXPECT_EQ(trace.attention(1, 3, 2), 0) << "a place that asks nothing has no row";
}

TEST(InductionExact, StartsAtNothingButForWhatItSays) {
  ModelScene<double> own("induction-exact", {{"copy", real(6)}, {"shared_pace", yes(false)}}, stream_of(4, 5));
  ModelScene<double> shared("induction-exact", {{"copy", real(6)}}, stream_of(4, 5));
  EXPECT_EQ(own.parameters.find("scale")->value[0], 1);
  EXPECT_EQ(shared.parameters.find("scale")->value[0], 2);
  EXPECT_EQ(own.parameters.find("output")->matrix()(2, 2), 6);
  EXPECT_EQ(shared.parameters.find("output")->matrix()(2, 2), 3);
  EXPECT_EQ(own.parameters.find("output")->matrix()(2, 1), 0);
  for (const double x : own.parameters.find("match")->values()) EXPECT_EQ(x, 0);
  EXPECT_NEAR(own.forward(induction_batch(), {}).loss, shared.forward(induction_batch(), {}).loss, 1e-12);
}

// With c = 2 a step moves c M and c W by four times as much.
TEST(InductionExact, ASharedPaceMovesMatricesAtVTimesTheRate) {
  const Batch batch = induction_batch();
  ModelScene<double> own("induction-exact", {{"copy", real(6)}, {"shared_pace", yes(false)}}, stream_of(4, 5));
  ModelScene<double> shared("induction-exact", {{"copy", real(6)}}, stream_of(4, 5));
  own.gradient_of(batch);
  shared.gradient_of(batch);
  for (const char* const name : {"match", "output"})
    for (Index i = 0; i < 16; ++i)
      EXPECT_NEAR(2 * shared.parameters.find(name)->gradient[i], 4 * own.parameters.find(name)->gradient[i], 1e-12);
}

TEST(InductionExact, GradientsUnderRules) {
  const Batch batch = induction_batch();
  ModelScene<double> scene("induction-exact", {}, stream_of(4, 5));
  draw(scene);
  const double free = scene.forward(batch, {true}).loss;
  for (const ScopedRule& rule :
       {ScopedRule{1, 1, {.pattern = Pattern::previous}}, ScopedRule{1, 1, {.pattern = Pattern::first}},
        ScopedRule{2, 1, {.pattern = Pattern::uniform}}, ScopedRule{2, 1, {.scale = 3}},
        ScopedRule{1, 1, {.ablated = true}}, ScopedRule{2, 1, {.ablated = true}}}) {
    const Pass pass{true, 0, 0, {{&rule, 1}}};
    SCOPED_TRACE(static_cast<int>(rule.rule.pattern) + 10 * rule.layer);
    scene.check_gradients(batch, pass);
    EXPECT_NE(scene.forward(batch, pass).loss, free);
  }
}

TEST(InductionExact, GradientsWhereScoresAreChanged) {
  const Batch batch = induction_batch();
  ModelScene<double> scene("induction-exact", {}, stream_of(4, 5));
  draw(scene);
  for (const int layer : {1, 2})
    for (const RequestedRule& rule : {RequestedRule{.shift = &test_shift}, RequestedRule{.factor = 0.5},
                                      RequestedRule{.factor = -2, .shift = &test_shift}}) {
      const ScopedRule change{layer, 1, rule};
      const Pass pass{true, 0, 0, {{&change, 1}}};
      scene.check_gradients(batch, pass);
      EXPECT_NE(scene.forward(batch, pass).loss, scene.forward(batch, {true}).loss) << layer;
    }
}

TEST(InductionExact, WhatIsFrozenGetsNoGradient) {
  ModelScene<double> scene("induction-exact", {{"frozen", {ValueList{word("lags"), word("output")}, {}}}},
                           stream_of(4, 5));
  draw(scene);
  scene.gradient_of(induction_batch());
  for (const Param<double>& p : scene.parameters.all()) {
    double most = 0;
    for (const double g : p.gradients()) most = std::max(most, std::abs(g));
    if (p.name == "match") EXPECT_GT(most, 1e-3);
    else EXPECT_EQ(most, 0) << p.name;
  }
}

TEST(InductionExact, BitsDoNotDependOnThreads) {
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 3}) {
    ModelScene<float> scene("induction-exact", {}, stream_of(4, 5), threads);
    const Batch batch = induction_batch();
    scene.adam(30, 0.05, batch);
    found.emplace_back(scene.parameters.values().begin(), scene.parameters.values().end());
  }
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace fovea
