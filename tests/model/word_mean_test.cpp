#include <algorithm>
#include <cmath>

#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using testing::ModelScene;

constexpr int mean_vocab = 7;

TaskShape classes(int count) {
  TaskShape shape;
  shape.vocab = mean_vocab;
  shape.classes = count;
  return shape;
}

TaskShape pairs() {
  TaskShape shape;
  shape.kind = Kind::token_pairs;
  shape.vocab = shape.target_vocab = mean_vocab;
  return shape;
}

Batch random_words(int size, int class_count) {
  Batch batch;
  batch.size = size;
  batch.source.resize(size, 5);
  batch.target.resize(size, 4);
  RandomStream stream(3, "test");
  for (int b = 0; b < size; ++b) {
    for (Tokens* side : {&batch.source, &batch.target}) {
      const int length = b == 0 ? side->columns : 1 + static_cast<int>(stream.integer(4));
      side->lengths[static_cast<std::size_t>(b)] = length;
      for (int s = 0; s < length; ++s) side->at(b, s) = static_cast<int>(stream.integer(mean_vocab));
    }
    batch.labels.push_back(static_cast<int>(stream.integer(static_cast<std::uint64_t>(class_count))));
  }
  return batch;
}

// Parameters away from 0, where some start.
void shake(ParameterSet<double>& parameters) {
  RandomStream stream(9, "shake");
  for (double& x : parameters.values()) x += 0.5 * stream.normal();
}

TEST(WordMean, GradientsAreRight) {
  for (const int count : {2, 4})
    for (const int width : {0, 3}) {
      ModelScene<double> scene("word-mean", table({{"embedding", whole(width)}}), classes(count));
      shake(scene.parameters);
      scene.check_gradients(random_words(5, count), {.training = true});
    }
  ModelScene<double> scene("word-mean-translator", table({{"embedding", whole(3)}}), pairs());
  shake(scene.parameters);
  scene.check_gradients(random_words(5, 2), {.training = true});
}

// The logit is the mean of the words' own, so β (with the sign of the label) has it as its mean; and there is no
// attention.
TEST(WordMean, BetaIsWhatEachWordSays) {
  const Batch batch = random_words(6, 2);
  for (const int width : {0, 3}) {
    ModelScene<double> scene("word-mean", table({{"embedding", whole(width)}}), classes(2));
    shake(scene.parameters);
    const Trace<double> outcome = scene.forward(batch, {});
    EXPECT_TRUE(outcome.attention.empty());
    const Cube<double> beta = scene.model->beta(scene.bench.compute, outcome);
    for (int b = 0; b < 6; ++b) {
      const int length = batch.source.lengths[static_cast<std::size_t>(b)];
      double mean = 0;
      for (int s = 0; s < 5; ++s) {
        if (s >= length) {
          EXPECT_EQ(beta(Index{b}, 0, Index{s}), 0);
        }
        mean += beta(Index{b}, 0, Index{s}) / length;
      }
      const double sign = batch.labels[static_cast<std::size_t>(b)] == 1 ? 1 : -1;
      EXPECT_NEAR(mean, sign * outcome.scores(Index{b}, 0), 1e-12);
    }
  }
}

TEST(WordMean, OrderOfWordsMeansNothing) {
  Batch batch = random_words(1, 3);
  ModelScene<double> scene("word-mean", table({{"embedding", whole(3)}}), classes(3));
  const double loss = scene.forward(batch, {}).loss;
  std::reverse(batch.source.ids.begin(), batch.source.ids.end());
  EXPECT_NEAR(scene.forward(batch, {}).loss, loss, 1e-12);
}

// Its examples in this order, each side no longer than the longest of them.
Batch chosen_rows(const Batch& batch, const std::vector<int>& order) {
  Batch part;
  part.size = static_cast<int>(order.size());
  for (const auto& [from, to] : {std::pair(&batch.source, &part.source), std::pair(&batch.target, &part.target)}) {
    int longest = 0;
    for (const int b : order) longest = std::max(longest, from->lengths[static_cast<std::size_t>(b)]);
    to->resize(part.size, longest);
    for (int i = 0; i < part.size; ++i) {
      const int length = from->lengths[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
      to->lengths[static_cast<std::size_t>(i)] = length;
      for (int s = 0; s < length; ++s) to->at(i, s) = from->at(order[static_cast<std::size_t>(i)], s);
    }
  }
  for (const int b : order) part.labels.push_back(batch.labels[static_cast<std::size_t>(b)]);
  return part;
}

struct MeanVariant {
  const char* model;
  int width;
  TaskShape shape;
};
const std::vector<MeanVariant> mean_variants = {
    {"word-mean", 0, classes(2)}, {"word-mean", 3, classes(4)}, {"word-mean-translator", 3, pairs()}};

struct Shaken : ModelScene<double> {
  explicit Shaken(const MeanVariant& v) : ModelScene(v.model, table({{"embedding", whole(v.width)}}), v.shape) {
    shake(parameters);
  }
};

TEST(WordMean, APaddedBatchIsItsExamplesOneByOne) {
  const Batch batch = random_words(6, 2);
  for (const MeanVariant& v : mean_variants) {
    Shaken all(v), one(v);
    const Trace<double> together = all.gradient_of(batch);
    const Cube<double> beta = all.model->beta(all.bench.compute, together);
    const bool translates = v.shape.kind == Kind::token_pairs;
    double rows = 0, loss = 0;
    for (const int length : batch.target.lengths) rows += translates ? length : 1;
    std::vector<double> sum(all.parameters.gradients().size());
    for (int b = 0; b < 6; ++b) {
      const Batch single = chosen_rows(batch, {b});
      const Trace<double> alone = one.gradient_of(single);
      const double share = (translates ? single.target.columns : 1) / rows;
      loss += share * alone.loss;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * one.parameters.gradients()[i];
      const Cube<double> beta_alone = one.model->beta(one.bench.compute, alone);
      for (Index t = 0; t < beta_alone.size(1); ++t)
        for (Index s = 0; s < beta.size(2); ++s)
          EXPECT_NEAR(beta(b, t, s), s < single.source.columns ? beta_alone(0, t, s) : 0, 1e-12);
    }
    EXPECT_NEAR(loss, together.loss, 1e-12) << v.model;
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], all.parameters.gradients()[i], 1e-12) << v.model;
  }
}

TEST(WordMean, TheOrderOfTheBatchDoesNotMatter) {
  const Batch batch = random_words(6, 2);
  for (const MeanVariant& v : mean_variants) {
    Shaken a(v), b(v);
    EXPECT_NEAR(a.gradient_of(batch).loss, b.gradient_of(chosen_rows(batch, {4, 0, 5, 2, 1, 3})).loss, 1e-13);
    for (std::size_t i = 0; i < a.parameters.gradients().size(); ++i)
      EXPECT_NEAR(a.parameters.gradients()[i], b.parameters.gradients()[i], 1e-13);
  }
}

// With one source word, β of each target word is the log-probability that the model gives it.
TEST(WordMean, TheTranslatorsBetaIsItsLossForASingleWord) {
  Batch batch = random_words(1, 2);
  batch.source.resize(1, 1);
  batch.source.at(0, 0) = 2;
  ModelScene<double> scene("word-mean-translator", table({{"embedding", whole(3)}}), pairs());
  const Trace<double> trace = scene.forward(batch, {});
  const double loss = trace.loss;
  const Cube<double> beta = scene.model->beta(scene.bench.compute, trace);
  double sum = 0;
  for (Index t = 0; t < 4; ++t) sum += beta(0, t, 0);
  EXPECT_NEAR(-sum / 4, loss, 1e-12);
}

// Logistic regression on two words that tell the class: the weights go apart, the third word's stays.
TEST(WordMean, LearnsWhichWordGoesWithWhichClass) {
  Batch batch;
  batch.size = 4;
  batch.source.resize(4, 2);
  batch.source.ids = {0, 2, 2, 0, 1, 2, 2, 1};
  batch.labels = {1, 1, 0, 0};
  ModelScene<double> scene("word-mean", table({{"embedding", whole(0)}}), classes(2));
  scene.adam(200, 0.05, batch);
  const auto weights = scene.parameters.find("weights")->values();
  EXPECT_GT(weights[0], 1);
  EXPECT_LT(weights[1], -1);
  EXPECT_NEAR(weights[2], 0, 1e-9);
  EXPECT_EQ(weights[3], 0);
}

}  // namespace
}  // namespace fovea
