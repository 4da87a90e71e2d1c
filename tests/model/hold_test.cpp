// Rules of attention: where it is held, nothing reaches what decides where a model attends, though the positions held
// differ in what they say; where it is scaled or ablated, gradients are those of central differences.
#include <gtest/gtest.h>

#include <vector>

#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"
#include "tests/model/token_batch.h"

namespace fovea {
namespace {

using testing::held_at, testing::Pattern;
using testing::ModelScene;

// The largest entry of the gradient of what decides where a model attends, and of all else.
struct Largest {
  double attention = 0, body = 0;
};

Largest largest(const std::string& model, const ValueTable& settings, const TaskShape& shape, const Batch& batch,
                Pattern pattern) {
  ModelScene<double> scene(model, settings, shape);
  RandomStream stream(3, "values");
  for (const Param<double>& p : scene.parameters.all())
    for (double& x : p.values()) x += 0.1 * stream.normal();
  scene.gradient_of(batch, held_at(pattern));
  Largest found;
  for (const Param<double>& p : scene.parameters.all()) {
    double& most = p.group == Group::attention ? found.attention : found.body;
    for (const double g : p.gradients()) most = std::max(most, std::abs(g));
  }
  return found;
}

void expect_held(const std::string& model, const ValueTable& settings, const TaskShape& shape, const Batch& batch) {
  SCOPED_TRACE(model);
  for (std::size_t b = 0, width = batch.marked.size() / static_cast<std::size_t>(batch.size);
       b < static_cast<std::size_t>(batch.size); ++b)
    ASSERT_GE(std::count(batch.marked.begin() + static_cast<std::ptrdiff_t>(b * width),
                         batch.marked.begin() + static_cast<std::ptrdiff_t>((b + 1) * width), std::uint8_t{1}),
              2);
  for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
    const Largest found = largest(model, settings, shape, batch, pattern);
    EXPECT_GT(found.body, 1e-4);
    if (pattern == Pattern::learned) EXPECT_GT(found.attention, 1e-4);
    else EXPECT_EQ(found.attention, 0) << "pattern " << static_cast<int>(pattern);
  }
  ModelScene<double> scene(model, settings, shape);
  if (scene.model->heads().layers() == 0) return;
  for (const ScopedRule& change : {ScopedRule{1, 1, {Pattern::learned, 3}}, ScopedRule{1, 1, {Pattern::uniform, 3}},
                                   ScopedRule{1, 1, {.ablated = true}}}) {
    const Pass pass{true, 0, 0, {{&change, 1}}};
    scene.check_gradients(batch, pass, {1e-6, 1e-6, 60});
    EXPECT_NE(scene.forward(batch, pass).loss, scene.forward(batch, {true}).loss);
  }
}

// Two words of each text are marked, and they are different words.
TEST(Hold, NothingReachesTheScoresOfWords) {
  Batch batch = testing::labelled_tokens({{0, 1, 2, 3}, {4, 2, 0}, {3, 1}}, {1, 0, 1}, 0);
  batch.marked = {1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0};
  const TaskShape shape = testing::labelled_tokens_shape(5);
  expect_held("unigram-gate", {{"beta_spread", real(1)}, {"logit_spread", real(1)}}, shape, batch);
  for (const char* const score : {"linear", "mlp"})
    expect_held("gated-classifier", {{"embedding", whole(4)}, {"hidden", whole(3)}, {"score", word(score)}}, shape,
                batch);
}

TEST(Hold, NothingReachesTheGateOfTwoSymbols) {
  Batch batch = testing::labelled_tokens({{0, 1, 1}, {1, 0, 0}, {1, 1, 0}}, {1, 0, 1}, 1);
  batch.marked = {1, 1, 0, 1, 1, 0, 1, 0, 1};
  for (const char* const gate : {"linear", "bounded"})
    expect_held("toy-gate",
                {{"gate", word(gate)}, {"loss", word("logistic")}, {"beta0", real(0.5)}, {"beta1", real(-0.25)}},
                testing::labelled_tokens_shape(2), batch);
}

TEST(Hold, NothingReachesTheScoresOfItemsAndFeatures) {
  TaskShape shape;
  shape.classes = 3;
  shape.width = 4;
  shape.most_items = 5;
  Batch batch;
  batch.size = 6;
  batch.labels = {0, 1, 2, 1, 0, 2};
  const ValueList hidden{{std::int64_t{5}, {}}};
  const auto fill = [&](int columns) {
    batch.items.resize(6, columns, 4);
    const auto values = testing::random_values<float>(7, std::ssize(batch.items.values));
    std::copy(values.begin(), values.end(), batch.items.values.begin());
    const int positions = columns == 1 ? 4 : columns;
    batch.marked.assign(static_cast<std::size_t>(6 * positions), 0);
    for (int b = 0; b < 6; ++b)
      for (const int position : {b % positions, (b + 2) % positions})
        batch.marked[static_cast<std::size_t>(b * positions + position)] = 1;
  };
  shape.kind = Kind::labelled_bags;
  fill(5);
  for (const char* const score : {"simple", "general", "additive"})
    expect_held("bag-attention", {{"hidden", {hidden, {}}}, {"score", word(score)}}, shape, batch);
  shape.kind = Kind::labelled_vectors;
  fill(1);
  for (const char* const gate : {"free", "input"})
    expect_held("feature-attention", {{"hidden", {hidden, {}}}, {"gate", word(gate)}, {"gate_hidden", whole(3)}}, shape,
                batch);
  expect_held("glimpse", {{"glimpses", whole(3)}, {"patch", whole(1)}, {"hidden", whole(5)}}, shape, batch);
}

}  // namespace
}  // namespace fovea
