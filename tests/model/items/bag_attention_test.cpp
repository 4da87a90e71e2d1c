#include "tests/model/items/item_batches.h"
#include "tests/model/model_scene.h"
#include "tests/model/token_batch.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const std::vector<std::string> attending = {"simple", "dot", "general", "additive"};
const std::vector<std::string> scores = {"simple", "dot", "general", "additive", "flat"};

ValueTable score_settings(const std::string& score, bool item_norm = false, const std::string& head = "mlp") {
  return {{"score", {score, {}}},
          {"head", {head, {}}},
          {"item_norm", {item_norm, {}}},
          {"hidden", {ValueList{{std::int64_t{6}, {}}, {std::int64_t{5}, {}}}, {}}}};
}

struct BagCase {
  std::string score;
  bool item_norm;
  Pattern pattern;
  bool differ;
  std::string head = "mlp";
};
class BagGradient : public ::testing::TestWithParam<BagCase> {};

TEST_P(BagGradient, IsWhatCentralDifferencesSay) {
  const BagCase& c = GetParam();
  Batch batch = random_bags(4, 7, 4, 3, 5, c.differ);
  batch.marked[0] = 0;  // the first bag has no truth
  ModelScene<double> scene("bag-attention", score_settings(c.score, c.item_norm, c.head), bag_shape(batch, 5), 2);
  // Norms away from their start, so that no gradient is 0 by symmetry.
  for (const Param<double>& p : scene.parameters.all())
    if (p.name.find("norm") != std::string::npos && p.group != Group::statistics)
      for (double& v : p.values()) v += 0.1 * static_cast<double>(&v - p.value + 1);
  scene.check_gradients(batch, held_at(c.pattern, {true}), {1e-6, 1e-6, 60});
}

INSTANTIATE_TEST_SUITE_P(
    Scores, BagGradient,
    ::testing::Values(BagCase{"simple", false, Pattern::learned, true}, BagCase{"simple", true, Pattern::truth, true},
                      BagCase{"simple", false, Pattern::uniform, true}, BagCase{"dot", false, Pattern::learned, false},
                      BagCase{"dot", true, Pattern::learned, true}, BagCase{"dot", false, Pattern::uniform, false},
                      BagCase{"general", false, Pattern::learned, true},
                      BagCase{"general", false, Pattern::truth, false},
                      BagCase{"additive", false, Pattern::learned, true},
                      BagCase{"additive", true, Pattern::truth, true},
                      BagCase{"general", false, Pattern::learned, true, "linear"},
                      BagCase{"flat", false, Pattern::learned, true, "linear"},
                      BagCase{"flat", false, Pattern::learned, true}, BagCase{"flat", true, Pattern::learned, false}));

// Of words: the same gradients, and those of the embeddings, in texts of different lengths that share words.
TEST(WordAttention, HasTheGradientThatCentralDifferencesSay) {
  Batch batch = labelled_tokens({{0, 3, 1, 2}, {2, 2}, {4}, {1, 0, 3}, {3, 2, 1, 4, 0}}, {1, 0, 0, 1, 1}, 3);
  for (const std::string& score : attending) {
    ValueTable settings = score_settings(score);
    settings["embedding"] = {std::int64_t{4}, {}};
    ModelScene<double> scene("word-attention", settings, labelled_tokens_shape(5), 2);
    scene.check_gradients(batch, {true}, {1e-6, 1e-6, 60});
  }
}

// What a word is among does not change what is said of it alone, and its place does not count.
TEST(WordAttention, ReadsEachWordByItself) {
  const Batch batch = labelled_tokens({{0, 3, 1}, {1, 3, 0}, {3, 4}}, {1, 1, 0}, 3);
  ValueTable settings = score_settings("general");
  settings["embedding"] = {std::int64_t{4}, {}};
  ModelScene<double> scene("word-attention", settings, labelled_tokens_shape(5));
  const Trace<double> trace = scene.forward(batch, {});
  for (Index k = 0; k < 2; ++k) EXPECT_NEAR(trace.scores(0, k), trace.scores(1, k), 1e-12);
  EXPECT_NEAR(trace.attention(0, 0, 0), trace.attention(1, 0, 2), 1e-12);
  EXPECT_EQ(trace.attention(2, 0, 2), 0.0);
  const Cube<double> beta = scene.model->beta(scene.bench.compute, trace);
  EXPECT_NEAR(beta(0, 0, 1), beta(1, 0, 1), 1e-12);
  settings["score"] = {std::string("flat"), {}};
  EXPECT_THROW(ModelScene<double>("word-attention", settings, labelled_tokens_shape(5)), Error);
}

TEST(BagAttention, KnowsWhichParametersAreAttentions) {
  const Batch batch = random_bags(4, 3, 4, 3, 5, true);
  for (const std::string& score : scores) {
    ModelScene<float> scene("bag-attention", score_settings(score), bag_shape(batch, 5));
    for (const Param<float>& p : scene.parameters.all())
      EXPECT_EQ(p.group == Group::attention, p.name.starts_with("attention")) << p.name;
    EXPECT_EQ(scene.parameters.find("attention.out.weight") != nullptr, score == "simple" || score == "additive");
    EXPECT_EQ(scene.parameters.find("attention.weight") != nullptr, score == "general");
  }
}

TEST(BagAttention, AttendsAsThePassSays) {
  const Batch batch = random_bags(4, 6, 4, 3, 5, true);
  for (const std::string& score : attending) {
    ModelScene<double> scene("bag-attention", score_settings(score), bag_shape(batch, 5));
    const Cube<double> uniform = scene.forward(batch, held_at(Pattern::uniform)).attention;
    for (Index b = 0; b < 6; ++b) {
      const int length = batch.items.lengths[static_cast<std::size_t>(b)];
      for (Index s = 0; s < 4; ++s) EXPECT_EQ(uniform(b, 0, s), s < length ? 1.0 / length : 0.0);
    }
    const Cube<double> truth = scene.forward(batch, held_at(Pattern::truth)).attention;
    for (Index b = 0; b < 6; ++b)
      for (Index s = 0; s < 4; ++s) EXPECT_EQ(truth(b, 0, s), s == 0 ? 1.0 : 0.0);
    const Cube<double> learned = scene.forward(batch, {}).attention;
    for (Index b = 0; b < 6; ++b) {
      double sum = 0;
      for (Index s = 0; s < 4; ++s) {
        sum += learned(b, 0, s);
        if (s >= batch.items.lengths[static_cast<std::size_t>(b)]) {
          EXPECT_EQ(learned(b, 0, s), 0.0);
        }
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(BagAttention, APaddedBatchIsItsBagsOneByOne) {
  const Batch batch = random_bags(4, 6, 4, 3, 5, true);
  for (const std::string& score : scores) {
    ModelScene<double> scene("bag-attention", score_settings(score, true), bag_shape(batch, 5));
    scene.adam(3, 1e-2, batch);  // running statistics away from their start
    const Trace<double> whole = scene.forward(batch, {});
    const std::vector<double> all = copy_of(whole.scores), attention = copy_of(whole.attention);
    for (std::size_t b = 0; b < 6; ++b) {
      Batch alone = rows_of(batch, {static_cast<int>(b)});
      const auto length = static_cast<std::size_t>(alone.items.lengths[0]);
      alone.items.columns = static_cast<int>(length);  // no padding at all
      alone.items.values.resize(length * 3);
      alone.marked.resize(length);
      const Trace<double> one = scene.forward(alone, {});
      for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(one.scores.data()[k], all[b * 5 + k], 1e-12) << score;
      if (score == "flat") continue;
      for (std::size_t s = 0; s < length; ++s) EXPECT_NEAR(one.attention.data()[s], attention[b * 4 + s], 1e-12);
    }
  }
}

// Batch norm ties a batch together in training, so its gradient has no parts to take one by one; but whatever stands
// behind a bag's items has no part in it.
TEST(BagAttention, PaddingHasNoPartInTheGradient) {
  const Batch batch = random_bags(4, 6, 4, 3, 5, true);
  Batch wider = batch;
  wider.items.resize(6, 7, 3);
  wider.items.lengths = batch.items.lengths;
  wider.marked.assign(6 * 7, 0);
  std::fill(wider.items.values.begin(), wider.items.values.end(), 1e3f);
  for (int b = 0; b < 6; ++b) {
    std::copy_n(batch.items.item(b, 0), 3 * batch.items.lengths[static_cast<std::size_t>(b)], wider.items.item(b, 0));
    wider.marked[static_cast<std::size_t>(b) * 7] = 1;
  }
  for (const std::string& score : attending)
    for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
      ModelScene<double> narrow("bag-attention", score_settings(score, true), bag_shape(batch, 5));
      ModelScene<double> wide("bag-attention", score_settings(score, true), bag_shape(batch, 5));
      const Trace<double> a = narrow.gradient_of(batch, held_at(pattern));
      const Trace<double> b = wide.gradient_of(wider, held_at(pattern));
      EXPECT_NEAR(a.loss, b.loss, 1e-12) << score;
      for (Index row = 0; row < 6; ++row)
        for (Index s = 4; s < 7; ++s) EXPECT_EQ(b.attention(row, 0, s), 0.0);
      for (std::size_t i = 0; i < narrow.parameters.gradients().size(); ++i)
        ASSERT_NEAR(narrow.parameters.gradients()[i], wide.parameters.gradients()[i], 1e-10) << score;
    }
}

// A hidden unit of the score that is 1 for every item makes its weight a constant added to every score.
TEST(BagAttention, AConstantAddedToAllScoresChangesNothing) {
  const Batch batch = random_bags(4, 6, 4, 3, 5, true);
  ModelScene<double> scene("bag-attention", score_settings("simple"), bag_shape(batch, 5));
  const Param<double>&hidden = *scene.parameters.find("attention.hidden.weight"),
        &bias = *scene.parameters.find("attention.hidden.bias"), &out = *scene.parameters.find("attention.out.weight");
  std::fill_n(hidden.matrix()[1].data(), hidden.shape[1], 0.0);
  bias.value[1] = 1;
  const std::vector<double> before = copy_of(scene.forward(batch, {}).attention);
  out.value[1] += 300;
  const Trace<double> after = scene.gradient_of(batch);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after.attention.flat()[i], before[i], 1e-11);
  EXPECT_NEAR(out.gradient[1], 0, 1e-12);
}

TEST(BagAttention, TheOrderOfItemsDoesNotMatterButToTheFlatBaseline) {
  const Batch batch = random_bags(4, 5, 4, 3, 5, true);
  Batch turned = batch;
  for (int b = 0; b < 5; ++b) {
    const int length = batch.items.lengths[static_cast<std::size_t>(b)];
    for (int s = 0; s < length; ++s) std::copy_n(batch.items.item(b, s), 3, turned.items.item(b, length - 1 - s));
  }
  for (const std::string& score : scores) {
    ModelScene<double> scene("bag-attention", score_settings(score), bag_shape(batch, 5));
    const Trace<double> first = scene.forward(batch, {});
    const std::vector<double> before = copy_of(first.scores), attention = copy_of(first.attention);
    const Trace<double> second = scene.forward(turned, {});
    double largest = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      largest = std::max(largest, std::abs(before[i] - second.scores.data()[i]));
    if (score == "flat") {
      EXPECT_GT(largest, 1e-3);
      continue;
    }
    EXPECT_LT(largest, 1e-12) << score;
    for (Index b = 0; b < 5; ++b) {
      const int length = batch.items.lengths[static_cast<std::size_t>(b)];
      for (Index s = 0; s < length; ++s)
        EXPECT_NEAR(second.attention(b, 0, length - 1 - s), attention[static_cast<std::size_t>(b * 4 + s)], 1e-12);
    }
  }
}

TEST(BagAttention, TheOrderOfTheBatchDoesNotMatter) {
  const Batch batch = random_bags(4, 5, 4, 3, 5, true);
  const std::vector<int> order = {3, 0, 4, 2, 1};
  for (const std::string& score : scores) {
    ModelScene<double> first("bag-attention", score_settings(score), bag_shape(batch, 5));
    ModelScene<double> second("bag-attention", score_settings(score), bag_shape(batch, 5));
    const Trace<double> a = first.gradient_of(batch), b = second.gradient_of(rows_of(batch, order));
    EXPECT_NEAR(a.loss, b.loss, 1e-12);
    for (Index row = 0; row < 5; ++row)
      for (Index k = 0; k < 5; ++k)
        EXPECT_NEAR(b.scores(row, k), a.scores(order[static_cast<std::size_t>(row)], k), 1e-9);
    for (std::size_t i = 0; i < first.parameters.gradients().size(); ++i)
      ASSERT_NEAR(first.parameters.gradients()[i], second.parameters.gradients()[i], 1e-9) << score;
  }
}

TEST(BagAttention, IsTheSameBitsForAnyTeam) {
  const Batch batch = random_bags(4, 150, 5, 20, 4, true);
  for (const std::string& score : scores) {
    std::vector<std::vector<float>> ends;
    for (const int threads : {1, 2, 5}) {
      ModelScene<float> scene("bag-attention", score_settings(score, true), bag_shape(batch, 4), threads);
      scene.adam(3, 1e-2, batch);
      ends.push_back(copy_of(scene.parameters.values()));
    }
    EXPECT_EQ(ends[0], ends[1]) << score;
    EXPECT_EQ(ends[0], ends[2]) << score;
  }
}

TEST(BagAttention, BetaIsTheLogProbabilityWithAllAttentionOnOneItem) {
  const Batch batch = random_bags(4, 5, 4, 3, 5, true);
  for (const std::string& score : attending) {
    ModelScene<double> scene("bag-attention", score_settings(score), bag_shape(batch, 5));
    scene.adam(3, 1e-2, batch);
    const Trace<double> trace = scene.forward(batch, {});
    const Cube<double> view = scene.model->beta(scene.bench.compute, trace);
    ASSERT_EQ(view.shape(), (std::array<Index, 3>{5, 1, 4}));
    const std::vector<double> beta = copy_of(view);
    for (int s = 0; s < 4; ++s) {
      Batch held = batch;  // all attention on item s where there is one
      for (int b = 0; b < 5; ++b)
        for (int other = 0; other < 4; ++other) held.marked[static_cast<std::size_t>(b * 4 + other)] = other == s;
      const Trace<double> outcome = scene.forward(held, held_at(Pattern::truth));
      for (Index b = 0; b < 5; ++b) {
        const double value = beta[static_cast<std::size_t>(b * 4 + s)];
        if (s >= batch.items.lengths[static_cast<std::size_t>(b)]) {
          EXPECT_EQ(value, 0.0);
          continue;
        }
        double sum = 0;
        for (Index k = 0; k < 5; ++k) sum += std::exp(outcome.scores(b, k));
        const int label = batch.labels[static_cast<std::size_t>(b)];
        EXPECT_NEAR(value, outcome.scores(b, label) - std::log(sum), 1e-10);
      }
    }
  }
}

TEST(BagAttention, AnEmptyBagHasNoPartInAnyStatistic) {
  Batch with = random_bags(4, 5, 4, 3, 5, true);
  std::fill_n(with.items.item(2, 0), 12, 0.0f);
  with.items.lengths[2] = 0;
  with.labels[2] = -1;
  with.marked.clear();
  const Batch without = rows_of(with, {0, 1, 3, 4});
  for (const std::string& score : attending) {
    ModelScene<double> a("bag-attention", score_settings(score, true), bag_shape(with, 5));
    ModelScene<double> b("bag-attention", score_settings(score, true), bag_shape(with, 5));
    EXPECT_NEAR(a.gradient_of(with).loss, b.gradient_of(without).loss, 1e-12);
    for (std::size_t i = 0; i < a.parameters.gradients().size(); ++i) {
      ASSERT_NEAR(a.parameters.gradients()[i], b.parameters.gradients()[i], 1e-10) << score;
      ASSERT_NEAR(a.parameters.values()[i], b.parameters.values()[i], 1e-12) << score;
    }
  }
}

TEST(BagAttention, ASteadyStepAllocatesNothing) {
  const Batch batch = random_bags(4, 10, 4, 3, 5, true);
  for (const std::string& score : scores) {
    ModelScene<float> scene("bag-attention", score_settings(score), bag_shape(batch, 5));
    for (int i = 0; i < 2; ++i) scene.gradient_of(batch);
    const std::size_t before = scene.bench.arena.blocks_requested();
    for (int i = 0; i < 3; ++i) scene.gradient_of(batch);
    EXPECT_EQ(scene.bench.arena.blocks_requested(), before);
  }
}

TEST(BagFlat, IsTheBaselineUnderItsOwnName) {
  const Batch batch = random_bags(4, 5, 4, 3, 5, true);
  ValueTable settings = score_settings("flat");
  ModelScene<double> scene("bag-attention", settings, bag_shape(batch, 5));
  settings.erase("score");
  ModelScene<double> named("bag-flat", settings, bag_shape(batch, 5));
  EXPECT_EQ(scene.gradient_of(batch).loss, named.gradient_of(batch).loss);
}

}  // namespace
}  // namespace fovea
