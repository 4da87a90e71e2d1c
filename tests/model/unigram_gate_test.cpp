#include "fovea/theory/unigram_gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/model_scene.h"
#include "tests/model/token_batch.h"

namespace fovea {
namespace {

using testing::labelled_tokens;

const std::vector<std::vector<int>> sequences = {{0, 1, 2}, {3, 3, 1, 0}, {4}, {0, 4, 4, 2, 0}};
const std::vector<int> labels = {1, 0, 0, 1};
const ValueTable spread = {{"beta_spread", {1.0, {}}}, {"logit_spread", {0.8, {}}}};

struct Built : testing::ModelScene<double> {
  Built() : ModelScene("unigram-gate", spread, testing::labelled_tokens_shape(5)) {}
};

TEST(UnigramGateModel, GradientsAgreeWithCentralDifferences) {
  const Batch batch = labelled_tokens(sequences, labels, 2);
  for (const Attend attend : {Attend::learned, Attend::uniform, Attend::truth}) {
    Built built;
    built.check_gradients(batch, {.attend = attend});
  }
}

TEST(UnigramGateModel, LossAndGradientAreThoseOfTheory) {
  Built built;
  LabelledBags bags(5);
  for (std::size_t i = 0; i < sequences.size(); ++i) bags.add(sequences[i], labels[i]);
  FlowState state, slope(10);
  for (const char* name : {"beta", "a"}) {
    for (const double x : built.parameters.find(name)->values()) state.push_back(x);
  }
  unigram_slope(bags, state, slope);
  const Batch batch = labelled_tokens(sequences, labels, 2);
  EXPECT_NEAR(built.gradient_of(batch).loss, unigram_loss(bags, state), 1e-14);
  for (std::size_t v = 0; v < 5; ++v) {
    EXPECT_NEAR(built.parameters.find("beta")->gradient[v], -slope[v], 1e-14);
    EXPECT_NEAR(built.parameters.find("a")->gradient[v], -slope[5 + v], 1e-14);
  }
  EXPECT_EQ(built.parameters.find("a")->group, Group::attention);
}

TEST(UnigramGateModel, RowsSumToOneAndPaddingGetsNothing) {
  Built built;
  const Batch batch = labelled_tokens(sequences, labels, 2);
  for (const Attend attend : {Attend::learned, Attend::uniform, Attend::truth}) {
    const auto outcome = built.forward(batch, {.attend = attend});
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
  Built built;
  const Batch batch = labelled_tokens(sequences, labels, 2);
  built.forward(batch, {});
  const auto beta = built.model->beta(built.bench.compute);
  const double* values = built.parameters.find("beta")->value;
  EXPECT_EQ(beta(0, 0, 2), values[2]);
  EXPECT_EQ(beta(1, 0, 3), -values[0]);
  EXPECT_EQ(beta(0, 0, 4), 0);
}

TEST(UnigramGateModel, PaddingChangesNothing) {
  Built built;
  const Batch batch = labelled_tokens(sequences, labels, 2);
  const std::vector<double> scores = testing::copy_of(built.forward(batch, {}).scores);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Batch alone = labelled_tokens({sequences[i]}, {labels[i]}, 2);
    EXPECT_DOUBLE_EQ(built.forward(alone, {}).scores(0, 0), scores[i]);
  }
}

}  // namespace
}  // namespace fovea
