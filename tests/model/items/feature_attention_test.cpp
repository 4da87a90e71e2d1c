#include <utility>

#include "tests/model/items/item_batches.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using namespace fovea::testing;

ValueTable gate_settings(const std::string& gate, bool rescale = false) {
  return {{"gate", {gate, {}}},
          {"rescale", {rescale, {}}},
          {"hidden", {ValueList{{std::int64_t{6}, {}}, {std::int64_t{5}, {}}}, {}}},
          {"gate_hidden", {std::int64_t{4}, {}}}};
}

struct FeatureCase {
  std::string gate;
  bool rescale;
  Pattern pattern;
  int features, classes;
};
class FeatureGradient : public ::testing::TestWithParam<FeatureCase> {};

TEST_P(FeatureGradient, IsWhatCentralDifferencesSay) {
  const FeatureCase& c = GetParam();
  Batch batch = random_vectors(3, 5, c.features, c.classes);
  std::fill_n(batch.marked.begin(), c.features, std::uint8_t{0});  // the first example has no truth
  ModelScene<double> scene("feature-attention", gate_settings(c.gate, c.rescale), vector_shape(batch, c.classes), 2);
  if (const Param<double>* logits = scene.parameters.find("attention.logits")) {
    EXPECT_EQ(logits->group, Group::attention);
    std::ranges::copy(random_values(8, logits->count()), logits->value);
  }
  scene.check_gradients(batch, held_at(c.pattern, {true}));
}

INSTANTIATE_TEST_SUITE_P(
    Gates, FeatureGradient,
    ::testing::Values(
        FeatureCase{"free", false, Pattern::learned, 9, 2}, FeatureCase{"free", true, Pattern::learned, 9, 3},
        FeatureCase{"free", true, Pattern::truth, 9, 2}, FeatureCase{"free", true, Pattern::uniform, 9, 2},
        FeatureCase{"input", false, Pattern::learned, 7, 2}, FeatureCase{"input", true, Pattern::truth, 7, 2},
        FeatureCase{"input", false, Pattern::uniform, 7, 2}, FeatureCase{"none", false, Pattern::learned, 9, 2},
        FeatureCase{"free", true, Pattern::learned, 1030, 2},  // several pieces of features
        FeatureCase{"input", true, Pattern::learned, 1030, 2}));

TEST(FeatureAttention, AttendsAsThePassSays) {
  const Batch batch = random_vectors(3, 4, 10, 2);
  for (const std::string gate : {"free", "input"}) {
    ModelScene<double> scene("feature-attention", gate_settings(gate), vector_shape(batch, 2));
    const Cube<double> uniform = scene.forward(batch, held_at(Pattern::uniform)).attention;
    for (const double w : uniform.flat()) EXPECT_EQ(w, 0.1);
    const Cube<double> truth = scene.forward(batch, held_at(Pattern::truth)).attention;
    ASSERT_EQ(truth.shape(), (std::array<Index, 3>{4, 1, 10}));
    for (Index b = 0; b < 4; ++b)
      for (Index i = 0; i < 10; ++i) EXPECT_EQ(truth(b, 0, i), i < 2 ? 0.5 : 0.0);
    const Cube<double> learned = scene.forward(batch, {}).attention;
    ASSERT_EQ(learned.shape(), (std::array<Index, 3>{4, 1, 10}));
    for (Index b = 0; b < 4; ++b) {
      double sum = 0;
      for (Index i = 0; i < 10; ++i) sum += learned(b, 0, i);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
  ModelScene<double> none("feature-attention", gate_settings("none"), vector_shape(batch, 2));
  EXPECT_TRUE(none.forward(batch, {}).attention.empty());
}

TEST(FeatureAttention, AConstantAddedToAllLogitsChangesNothing) {
  const Batch batch = random_vectors(3, 4, 10, 2);
  ModelScene<double> scene("feature-attention", gate_settings("free"), vector_shape(batch, 2));
  const Param<double>& logits = *scene.parameters.find("attention.logits");
  std::ranges::copy(random_values(8, logits.count()), logits.value);
  const Trace<double> before = scene.forward(batch, {});
  const std::vector<double> attention = copy_of(before.attention);
  const double loss = before.loss;
  for (double& logit : logits.values()) logit += 300;
  scene.gradient_of(batch);
  const Trace<double> after = scene.forward(batch, {});
  EXPECT_NEAR(after.loss, loss, 1e-12);
  for (std::size_t i = 0; i < attention.size(); ++i) EXPECT_NEAR(after.attention.flat()[i], attention[i], 1e-12);
  double pull = 0;
  for (const double g : logits.gradients()) pull += g;
  EXPECT_NEAR(pull, 0, 1e-14);
}

TEST(FeatureAttention, FreeGateStartsUniformAndRescaledThenFeedsTheInputItself) {
  const Batch batch = random_vectors(3, 4, 16, 2);
  ModelScene<double> free("feature-attention", gate_settings("free", true), vector_shape(batch, 2));
  ModelScene<double> none("feature-attention", gate_settings("none"), vector_shape(batch, 2));
  EXPECT_NEAR(free.forward(batch, {}).loss, none.forward(batch, {}).loss, 1e-12);
}

TEST(FeatureAttention, ABatchIsItsExamplesOneByOneInAnyOrder) {
  const Batch batch = random_vectors(3, 5, 10, 3);
  for (const std::string gate : {"free", "input", "none"}) {
    ModelScene<double> scene("feature-attention", gate_settings(gate), vector_shape(batch, 3));
    const std::vector<double> all = copy_of(scene.forward(batch, {}).scores);
    const std::vector<int> order = {4, 2, 0, 1, 3};
    const std::vector<double> permuted = copy_of(scene.forward(rows_of(batch, order), {}).scores);
    for (std::size_t b = 0; b < 5; ++b) {
      const std::vector<double> alone = copy_of(scene.forward(rows_of(batch, {static_cast<int>(b)}), {}).scores);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(alone[k], all[b * 3 + k], 1e-12);
        EXPECT_NEAR(permuted[b * 3 + k], all[static_cast<std::size_t>(order[b]) * 3 + k], 1e-12);
      }
    }
  }
}

TEST(FeatureAttention, IsTheSameBitsForAnyTeam) {
  const Batch batch = random_vectors(3, 70, 1500, 2);
  for (const std::string gate : {"free", "input", "none"}) {
    std::vector<std::vector<float>> ends;
    for (const int threads : {1, 2, 5}) {
      ModelScene<float> scene("feature-attention", gate_settings(gate, true), vector_shape(batch, 2), threads);
      scene.adam(3, 1e-2, batch);
      ends.push_back(copy_of(scene.parameters.values()));
    }
    EXPECT_EQ(ends[0], ends[1]) << gate;
    EXPECT_EQ(ends[0], ends[2]) << gate;
  }
}

// Examples that stay where they are kept, in any order, give the bits of those that follow one another in a batch.
template <class T>
void check_kept_examples(Products products) {
  const Batch batch = random_vectors(3, 40, 1030, 2);
  Batch kept = batch;
  kept.items.resize_lines(40, 1, 1030);
  std::vector<float> store;  // the last first
  for (int b = 39; b >= 0; --b) {
    const float* const x = std::as_const(batch.items).item(b, 0);
    store.insert(store.end(), x, x + 1030);
  }
  for (int b = 0; b < 40; ++b) kept.items.lines[static_cast<std::size_t>(b)] = store.data() + (39 - b) * 1030;
  for (const std::string gate : {"free", "input", "none"}) {
    SCOPED_TRACE(gate);
    std::vector<std::vector<T>> ends;
    for (const Batch* given : {&batch, static_cast<const Batch*>(&kept)}) {
      ModelScene<T> scene("feature-attention", gate_settings(gate, true), vector_shape(batch, 2), 2);
      scene.bench.compute.products = products;
      scene.adam(3, 1e-2, *given);
      ends.push_back(copy_of(scene.parameters.values()));
    }
    EXPECT_EQ(ends[0], ends[1]);
  }
}

TEST(FeatureAttention, IsTheSameBitsOfExamplesThatAreKept) {
  check_kept_examples<float>(Products::full);
  check_kept_examples<float>(Products::bf16x3);
  check_kept_examples<double>(Products::full);
}

TEST(FeatureAttention, ASteadyStepAllocatesNothing) {
  const Batch batch = random_vectors(3, 8, 600, 2);
  for (const std::string gate : {"free", "input"}) {
    ModelScene<float> scene("feature-attention", gate_settings(gate), vector_shape(batch, 2));
    for (int i = 0; i < 2; ++i) scene.gradient_of(batch);
    const std::size_t before = scene.bench.arena.blocks_requested();
    for (int i = 0; i < 3; ++i) scene.gradient_of(batch);
    EXPECT_EQ(scene.bench.arena.blocks_requested(), before);
  }
}

TEST(FeatureAttention, NeedsAHiddenLayer) {
  const Batch batch = random_vectors(3, 4, 10, 2);
  EXPECT_THROW(ModelScene<float>("feature-attention", {{"hidden", {ValueList{}, {}}}}, vector_shape(batch, 2)), Error);
}

}  // namespace
}  // namespace fovea
