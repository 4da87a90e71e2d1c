#include "fovea/theory/unigram_gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/build_model.h"

namespace fovea {
namespace {

using testing::BuiltModel;
using testing::labelled_tokens;

const std::vector<std::vector<int>> sequences = {{0, 1, 2}, {3, 3, 1, 0}, {4}, {0, 4, 4, 2, 0}};
const std::vector<int> labels = {1, 0, 0, 1};
const ValueTable spread = {{"beta_spread", {1.0, {}}}, {"logit_spread", {0.8, {}}}};

TEST(UnigramGateModel, GradientsAgreeWithCentralDifferences) {
  const Batch batch = labelled_tokens(sequences, labels, 2);
  for (const Attend attend : {Attend::learned, Attend::uniform, Attend::truth}) {
    BuiltModel built("unigram-gate", testing::labelled_tokens_shape(5), spread);
    built.forward(batch, attend);
    built.backward();
    testing::expect_parameter_gradients(built.parameters, [&] { return built.forward(batch, attend).loss; });
  }
}

TEST(UnigramGateModel, LossAndGradientAreThoseOfTheory) {
  BuiltModel built("unigram-gate", testing::labelled_tokens_shape(5), spread);
  LabelledBags bags(5);
  for (std::size_t i = 0; i < sequences.size(); ++i) bags.add(sequences[i], labels[i]);
  FlowState state, slope(10);
  for (const char* name : {"beta", "a"}) {
    for (const double x : built.parameters.find(name)->values()) state.push_back(x);
  }
  unigram_slope(bags, state, slope);
  const Batch batch = labelled_tokens(sequences, labels, 2);
  EXPECT_NEAR(built.forward(batch).loss, unigram_loss(bags, state), 1e-14);
  built.backward();
  for (std::size_t v = 0; v < 5; ++v) {
    EXPECT_NEAR(built.parameters.find("beta")->gradient[v], -slope[v], 1e-14);
    EXPECT_NEAR(built.parameters.find("a")->gradient[v], -slope[5 + v], 1e-14);
  }
  EXPECT_EQ(built.parameters.find("a")->group, Group::attention);
}

TEST(UnigramGateModel, RowsSumToOneAndPaddingGetsNothing) {
  BuiltModel built("unigram-gate", testing::labelled_tokens_shape(5), spread);
  const Batch batch = labelled_tokens(sequences, labels, 2);
  for (const Attend attend : {Attend::learned, Attend::uniform, Attend::truth}) {
    const auto outcome = built.forward(batch, attend);
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
    if (attend == Attend::uniform) {
      EXPECT_EQ(outcome.attention(1, 0, 2), 0.25);
    }
    if (attend == Attend::truth) {
      EXPECT_EQ(outcome.attention(0, 0, 2), 1);
    }
  }
}

TEST(UnigramGateModel, BetaSpeaksForTheRightClass) {
  BuiltModel built("unigram-gate", testing::labelled_tokens_shape(5), spread);
  const Batch batch = labelled_tokens(sequences, labels, 2);
  built.forward(batch);
  const auto beta = built.model->beta(built.bench.compute);
  const double* values = built.parameters.find("beta")->value;
  EXPECT_EQ(beta(0, 0, 2), values[2]);
  EXPECT_EQ(beta(1, 0, 3), -values[0]);
  EXPECT_EQ(beta(0, 0, 4), 0);
}

TEST(UnigramGateModel, PaddingChangesNothing) {
  BuiltModel built("unigram-gate", testing::labelled_tokens_shape(5), spread);
  const Batch batch = labelled_tokens(sequences, labels, 2);
  const std::vector<double> scores = testing::copy_of(built.forward(batch).scores);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Batch alone = labelled_tokens({sequences[i]}, {labels[i]}, 2);
    EXPECT_DOUBLE_EQ(built.forward(alone).scores(0, 0), scores[i]);
  }
}

}  // namespace
}  // namespace fovea
