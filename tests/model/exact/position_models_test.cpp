// Models `position-heads` and `position-match` with their parts set by hand, and under rules of attention. Against
// PyTorch and central differences they are tested with the others (exact_reference_test.cpp).
#include <cmath>

#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using namespace fovea::testing;

TaskShape positions_of(int vocab, int longest) {
  TaskShape shape;
  shape.kind = Kind::token_streams;
  shape.vocab = shape.target_vocab = vocab;
  shape.longest = longest;
  return shape;
}

// 1 0 2 1 0, which asks at the end, and 0 2 2 1 2, which asks at the last two positions.
Batch positions_batch() {
  Batch batch;
  batch.size = 2;
  batch.source.resize(2, 5);
  batch.source.ids = {1, 0, 2, 1, 0, 0, 2, 2, 1, 2};
  batch.target.resize(2, 5);
  batch.target.ids = {-1, -1, -1, -1, 2, -1, -1, -1, 0, 1};
  batch.alignment.assign(10, -1);
  batch.alignment[4] = 2;
  return batch;
}

void set_by(ModelScene<double>& scene, const char* name, auto value_at) {
  const Param<double>& p = *scene.parameters.find(name);
  for (Index i = 0; i < p.count(); ++i) p.value[i] = value_at(i);
}

void draw_all(ModelScene<double>& scene) {
  RandomStream stream(9, "values");
  for (const Param<double>& p : scene.parameters.all())
    for (double& x : p.values()) x = 0.7 * stream.normal();
}

TEST(PositionHeads, SaysWhatItsHeadsBring) {
  ModelScene<double> scene("position-heads", {{"heads", whole(2)}}, positions_of(3, 5));
  const Batch batch = positions_batch();
  EXPECT_NEAR(scene.forward(batch, {}).loss, std::log(3), 1e-12) << "outputs are 0 at the start";
  // Head 1 attends to the token before, head 2 to the one before that; each says its token, 5 and 7 times.
  set_by(scene, "lags", [](Index i) { return i == 1 || i == 5 + 2 ? 60.0 : 0.0; });
  set_by(scene, "output", [](Index i) { return i % 9 % 4 == 0 ? (i < 9 ? 5.0 : 7.0) : 0.0; });
  const Trace<double> trace = scene.forward(batch, {});
  EXPECT_NEAR(trace.scores(4, 1), 5, 1e-9);
  EXPECT_NEAR(trace.scores(4, 2), 7, 1e-9);
  EXPECT_NEAR(trace.scores(4, 0), 0, 1e-9);
  EXPECT_NEAR(trace.scores(8, 2), 12, 1e-9) << "both bring token 2";
  EXPECT_EQ(trace.scores(3, 0), 0) << "nothing is asked there";
  EXPECT_NEAR(trace.further[1].weights(0, 4, 2), 1, 1e-12);
  EXPECT_NEAR(trace.attention(0, 4, 2), 0.5, 1e-12) << "the mean of both";
}

TEST(PositionHeads, HeadsWithEqualLogitsStayEqual) {
  ModelScene<double> scene("position-heads", {{"start", real(0)}}, positions_of(3, 5));
  scene.adam(30, 0.05, positions_batch());
  const Param<double>& lags = *scene.parameters.find("lags");
  for (Index lag = 0; lag < 5; ++lag)
    for (Index head = 1; head < 3; ++head) EXPECT_EQ(lags.matrix()(head, lag), lags.matrix()(0, lag));
  EXPECT_GT(std::abs(lags.matrix()(0, 1)), 0.1);
}

// A head at the token before (the key), and a match of the key with the query's own token: what followed its copies.
TEST(PositionMatch, FindsWhatFollowedACopyOfTheLastToken) {
  ModelScene<double> scene("position-match", {{"heads", whole(1)}}, positions_of(3, 5));
  set_by(scene, "lags", [](Index i) { return i == 1 ? 60.0 : 0.0; });
  set_by(scene, "match", [](Index i) { return i % 6 == i / 6 + 3 ? 60.0 : 0.0; });
  const Trace<double> trace = scene.forward(positions_batch(), {});
  EXPECT_NEAR(trace.attention(0, 4, 2), 1, 1e-9) << "2 followed 0";
  EXPECT_NEAR(trace.scores(4, 2), 0, 1e-6);
  EXPECT_NEAR(trace.scores(4, 1), std::log(1e-8), 1e-6) << "token 1 gets no weight";
  EXPECT_NEAR(trace.attention(1, 4, 2), 0.5, 1e-9) << "2 was followed by 2 and by 1";
  EXPECT_NEAR(trace.attention(1, 4, 3), 0.5, 1e-9);
  EXPECT_EQ(trace.attention(1, 2, 0), 0) << "a position that asks nothing has no row";
}

// With two heads at lags 1 and 2 and the whole context matched, only what followed the same two tokens is left.
TEST(PositionMatch, FindsWhatFollowedACopyOfTwoTokens) {
  ModelScene<double> scene("position-match", {}, positions_of(3, 6));
  Batch batch;
  batch.size = 1;
  batch.source.resize(1, 6);
  batch.source.ids = {1, 2, 0, 2, 1, 2};
  batch.target.resize(1, 6);
  batch.target.ids = {-1, -1, -1, -1, -1, 0};
  batch.alignment.assign(6, -1);
  set_by(scene, "lags", [](Index i) { return i == 1 || i == 6 + 2 ? 60.0 : 0.0; });
  // Own token with the key's lag 1; the query's lag 1 with the key's lag 2.
  set_by(scene, "match", [](Index i) { return i / 9 < 6 && i % 9 == i / 9 + 3 ? 60.0 : 0.0; });
  const Trace<double> trace = scene.forward(batch, {});
  EXPECT_NEAR(trace.attention(0, 5, 2), 1, 1e-9) << "0 followed 1 2; what followed 2 alone gets nothing";
}

TEST(PositionModels, GradientsUnderRules) {
  const Batch batch = positions_batch();
  for (const char* const model : {"position-heads", "position-match"}) {
    ModelScene<double> scene(model, {}, positions_of(3, 5));
    draw_all(scene);
    const double free = scene.forward(batch, {true}).loss;
    for (const ScopedRule& rule :
         {ScopedRule{1, 2, {.pattern = Pattern::previous}}, ScopedRule{1, 1, {.pattern = Pattern::first}},
          ScopedRule{0, 0, {.pattern = Pattern::uniform}}, ScopedRule{1, 2, {.scale = 3}},
          ScopedRule{1, 1, {.ablated = true}}, ScopedRule{1, 1, {.shift = &test_shift}},
          ScopedRule{0, 0, {.shift = &test_shift}}, ScopedRule{1, 2, {.factor = 2}},
          ScopedRule{0, 0, {.factor = -0.5, .shift = &test_shift}}}) {
      const Pass pass{true, 0, 0, {{&rule, 1}}};
      SCOPED_TRACE(std::string(model) + " " + std::to_string(static_cast<int>(rule.rule.pattern)));
      scene.check_gradients(batch, pass);
      EXPECT_NE(scene.forward(batch, pass).loss, free);
    }
  }
}

TEST(PositionModels, BitsDoNotDependOnThreads) {
  for (const char* const model : {"position-heads", "position-match"}) {
    std::vector<std::vector<float>> found;
    for (const int threads : {1, 3}) {
      ModelScene<float> scene(model, {}, positions_of(3, 5), threads);
      scene.adam(30, 0.05, positions_batch());
      found.emplace_back(scene.parameters.values().begin(), scene.parameters.values().end());
    }
    EXPECT_EQ(found[0], found[1]) << model;
  }
}

}  // namespace
}  // namespace fovea
