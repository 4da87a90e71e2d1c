#include "fovea/theory/unigram_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/model/model_scene.h"
#include "tests/model/token_batch.h"

namespace fovea {
namespace {

using testing::held_at, testing::Pattern;
using testing::labelled_tokens;

const std::vector<std::vector<int>> sequences = {{0, 1, 2}, {3, 3, 1, 0}, {4}, {0, 4, 4, 2, 0}};
const std::vector<int> labels = {1, 0, 0, 1};
const ValueTable spread = {{"beta_spread", {1.0, {}}}, {"logit_spread", {0.8, {}}}};

ValueTable with_bias(bool bias) {
  ValueTable settings = spread;
  settings["bias"] = {bias, {}};
  return settings;
}

struct BuiltUnigram : testing::ModelScene<double> {
  explicit BuiltUnigram(int vocab = 5, bool bias = false)
      : ModelScene("unigram-gate", with_bias(bias), testing::labelled_tokens_shape(vocab)) {
    if (bias) *parameters.find("bias")->value = -0.7;
  }
};

TEST(UnigramGateModel, GradientsAgreeWithCentralDifferences) {
  const Batch batch = labelled_tokens(sequences, labels, 2);
  for (const bool bias : {false, true})
    for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
      BuiltUnigram built(5, bias);
      built.check_gradients(batch, held_at(pattern));
    }
}

// Held at several positions of differing words, an example must teach their logits nothing; the one without a mark must.
TEST(UnigramGateModel, LogitsLearnNothingWhereAttentionIsHeldAtSeveralPlaces) {
  Batch batch = labelled_tokens({{0, 1, 2}, {3, 1, 0, 4}, {5, 6, 5}}, {1, 0, 1}, 0);
  batch.marked = {1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0};
  BuiltUnigram built(7);
  built.check_gradients(batch, held_at(Pattern::truth));
  const double* slopes = built.parameters.find("a")->gradient;
  for (int held = 0; held < 5; ++held) EXPECT_EQ(slopes[held], 0) << held;
  EXPECT_GT(std::abs(slopes[5]), 1e-4);
}

TEST(UnigramGateModel, LossAndGradientAreThoseOfTheory) {
  BuiltUnigram built(5, true);
  LabelledBags bags(5);
  for (std::size_t i = 0; i < sequences.size(); ++i) bags.add(sequences[i], labels[i]);
  FlowState state, slope(11);
  for (const char* name : {"beta", "a", "bias"}) {
    for (const double x : built.parameters.find(name)->values()) state.push_back(x);
  }
  unigram_slope(bags, state, slope);
  const Batch batch = labelled_tokens(sequences, labels, 2);
  EXPECT_NEAR(built.gradient_of(batch).loss, unigram_loss(bags, state), 1e-14);
  for (std::size_t v = 0; v < 5; ++v) {
    EXPECT_NEAR(built.parameters.find("beta")->gradient[v], -slope[v], 1e-14);
    EXPECT_NEAR(built.parameters.find("a")->gradient[v], -slope[5 + v], 1e-14);
  }
  EXPECT_NEAR(*built.parameters.find("bias")->gradient, -slope[10], 1e-14);
  EXPECT_EQ(built.parameters.find("a")->group, Group::attention);
}

TEST(UnigramGateModel, RowsSumToOneAndPaddingGetsNothing) {
  BuiltUnigram built;
  const Batch batch = labelled_tokens(sequences, labels, 2);
  for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
    const auto outcome = built.forward(batch, held_at(pattern));
    for (int b = 0; b < batch.size; ++b) {
      double sum = 0;
      for (int l = 0; l < batch.source.columns; ++l) {
        sum += outcome.attention(b, 0, l);
        if (l >= batch.source.lengths[static_cast<std::size_t>(b)]) {
          EXPECT_EQ(outcome.attention(b, 0, l), 0);
        }
      }
      EXPECT_NEAR(sum, 1, 1e-15);
    }
    if (pattern == Pattern::uniform) {
      for (int b = 0; b < batch.size; ++b) {
        const int length = batch.source.lengths[static_cast<std::size_t>(b)];
        for (int l = 0; l < length; ++l) EXPECT_EQ(outcome.attention(b, 0, l), 1.0 / length);
      }
    }
    if (pattern == Pattern::truth) {
      EXPECT_EQ(outcome.attention(0, 0, 2), 1);
    }
  }
}

TEST(UnigramGateModel, BetaSpeaksForTheRightClass) {
  BuiltUnigram built;
  const Batch batch = labelled_tokens(sequences, labels, 2);
  const auto beta = built.model->beta(built.bench.compute, built.forward(batch, {}));
  const double* values = built.parameters.find("beta")->value;
  EXPECT_EQ(beta(0, 0, 2), values[2]);
  EXPECT_EQ(beta(1, 0, 3), -values[0]);
  EXPECT_EQ(beta(0, 0, 4), 0);
}

TEST(UnigramGateModel, APaddedBatchIsItsExamplesOneByOne) {
  BuiltUnigram built;
  const Batch batch = labelled_tokens(sequences, labels, 2);
  const Trace<double> together = built.gradient_of(batch);
  const std::vector<double> scores = testing::copy_of(together.scores),
                            attention = testing::copy_of(together.attention),
                            gradient = testing::copy_of(built.parameters.gradients());
  const double loss = together.loss;
  const auto columns = static_cast<std::size_t>(batch.source.columns);
  std::vector<double> sum(gradient.size());
  double total = 0;
  for (std::size_t b = 0; b < sequences.size(); ++b) {
    const Trace<double> alone = built.gradient_of(labelled_tokens({sequences[b]}, {labels[b]}, 2));
    EXPECT_DOUBLE_EQ(alone.scores(0, 0), scores[b]);
    for (std::size_t l = 0; l < sequences[b].size(); ++l)
      EXPECT_DOUBLE_EQ(alone.attention(0, 0, static_cast<Index>(l)), attention[b * columns + l]);
    total += alone.loss / 4;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += built.parameters.gradients()[i] / 4;
  }
  EXPECT_NEAR(total, loss, 1e-14);
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], gradient[i], 1e-14);
}

TEST(UnigramGateModel, NeitherTheOrderOfWordsNorOfTheBatchMatters) {
  BuiltUnigram plain, turned;
  const Trace<double> a = plain.gradient_of(labelled_tokens(sequences, labels, 2));
  std::vector<std::vector<int>> words(sequences.rbegin(), sequences.rend());
  for (auto& sequence : words) std::reverse(sequence.begin(), sequence.end());
  const Trace<double> b = turned.gradient_of(labelled_tokens(words, {labels.rbegin(), labels.rend()}, 2));
  EXPECT_NEAR(a.loss, b.loss, 1e-14);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(a.scores(i, 0), b.scores(3 - i, 0), 1e-14);
    const auto length = static_cast<Index>(sequences[static_cast<std::size_t>(i)].size());
    for (Index l = 0; l < length; ++l) EXPECT_NEAR(a.attention(i, 0, l), b.attention(3 - i, 0, length - 1 - l), 1e-14);
  }
  for (std::size_t i = 0; i < plain.parameters.gradients().size(); ++i)
    EXPECT_NEAR(plain.parameters.gradients()[i], turned.parameters.gradients()[i], 1e-14);
}

TEST(UnigramGateModel, WordsAreOnlyNames) {
  BuiltUnigram plain, renamed;
  const auto name = [](int word) { return (word * 2 + 1) % 5; };
  for (const char* parameter : {"beta", "a"})
    for (int v = 0; v < 5; ++v)
      renamed.parameters.find(parameter)->value[name(v)] = plain.parameters.find(parameter)->value[v];
  std::vector<std::vector<int>> words = sequences;
  for (auto& sequence : words)
    for (int& word : sequence) word = name(word);
  const Trace<double> a = plain.gradient_of(labelled_tokens(sequences, labels, 2));
  const Trace<double> b = renamed.gradient_of(labelled_tokens(words, labels, name(2)));
  EXPECT_EQ(testing::copy_of(a.scores), testing::copy_of(b.scores));
  EXPECT_EQ(testing::copy_of(a.attention), testing::copy_of(b.attention));
  for (const char* parameter : {"beta", "a"})
    for (int v = 0; v < 5; ++v)
      EXPECT_EQ(renamed.parameters.find(parameter)->gradient[name(v)], plain.parameters.find(parameter)->gradient[v]);
}

TEST(UnigramGateModel, AConstantAddedToAllLogitsChangesNothing) {
  BuiltUnigram built;
  const Batch batch = labelled_tokens(sequences, labels, 2);
  const std::vector<double> attention = testing::copy_of(built.forward(batch, {}).attention);
  for (double& logit : built.parameters.find("a")->values()) logit += 300;
  const Trace<double> shifted = built.forward(batch, {});
  for (std::size_t i = 0; i < attention.size(); ++i) EXPECT_NEAR(shifted.attention.flat()[i], attention[i], 1e-12);
}

}  // namespace
}  // namespace fovea
