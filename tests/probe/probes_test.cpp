#include <cmath>

#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;
using Numbers = std::map<std::string, double>;

TEST(Probes, AccuracyTakesTheLargestScoreAndSkipsRowsWithoutAnswer) {
  HandMade look;
  look.set_scores(4, 3, {1, 2, 0, 5, 4, 3, 0, 0, 1, 9, 0, 0}, {1, 1, 2, -1});
  EXPECT_EQ(look.numbers("accuracy"), (Numbers{{"accuracy", 2.0 / 3}}));
  look.set_scores(3, 1, {0.5f, -0.5f, 2}, {1, 1, 1});
  EXPECT_EQ(look.numbers("accuracy"), (Numbers{{"accuracy", 2.0 / 3}}));
  look.set_scores(1, 2, {0, 1}, {-1});
  EXPECT_EQ(look.numbers("accuracy"), Numbers{});
}

TEST(Probes, OfAProgramAreRefusedByOthers) {
  try {
    make_probe("python mine.gap 9f86d081884c7d65");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_NE(std::string(error.what()).find("'mine.gap 9f86d081884c7d65' is a Python function"), std::string::npos);
  }
  EXPECT_THROW(make_probe("entropi"), Error);
  EXPECT_NE(make_probe("entropy"), nullptr);
}

TEST(Probes, ClassAucDoesNotAskWhereScoresAreParted) {
  HandMade look;
  // Class 1 less class 0: 5, 4 and 3 of class 1 against 4 and 1 of class 0, which is 4 and a half of 6 pairs.
  // All are above 0, so that accuracy says class 1 of each.
  look.set_scores(6, 2, {0, 5, 1, 5, -3, 0, 2, 6, 0, 1, 9, 0}, {1, 1, 1, 0, 0, -1});
  EXPECT_EQ(look.numbers("class_auc"), (Numbers{{"class_auc", 4.5 / 6}}));
  EXPECT_EQ(look.numbers("accuracy"), (Numbers{{"accuracy", 3.0 / 5}}));
  look.set_scores(5, 1, {5, 4, 3, 4, 1}, {1, 1, 1, 0, 0});
  EXPECT_EQ(look.numbers("class_auc"), (Numbers{{"class_auc", 4.5 / 6}}));
  // Of three classes, the mean of one against the rest: class 0 in 1 and a half of 2 pairs, class 1 in 1 of 2; there is
  // none of class 2.
  look.set_scores(3, 3, {3, 0, 0, 0, 0, 1, 0, 1, 0}, {0, 1, 0});
  EXPECT_EQ(look.numbers("class_auc"), (Numbers{{"class_auc", (1.5 / 2 + 1.0 / 2) / 2}}));
  look.set_scores(2, 2, {0, 1, 1, 0}, {1, 1});
  EXPECT_EQ(look.numbers("class_auc"), Numbers{}) << "one class alone";
  look.kind = Kind::token_pairs;
  EXPECT_THROW(look.prepared("class_auc"), Error);
}

TEST(Probes, LossIsThatOfTheLook) {
  HandMade look;
  look.outcome.loss = 0.75;
  EXPECT_EQ(look.numbers("loss"), (Numbers{{"loss", 0.75}}));
}

// Two examples of three rows over four positions, the second of length three. Its last row has no answer.
HandMade pairs() {
  HandMade look;
  look.kind = Kind::token_pairs;
  look.set_lengths({4, 3}, 4);
  look.set_scores(6, 2, std::vector<float>(12, 0.0f), {0, 1, 0, 0, 1, -1});
  look.batch.alignment = {0, 1, 3, 2, -1, 0};
  return look;
}

TEST(Probes, AttentionAccuracyAtThreeOffsets) {
  HandMade look = pairs();
  look.set_attention(2, 3, 4, {0.7f, 0.1f, 0.1f, 0.1f,  // on its place, 0
                               0.6f, 0.2f, 0.1f, 0.1f,  // one before 1
                               0.1f, 0.2f, 0.6f, 0.1f,  // one before 3
                               0.1f, 0.2f, 0.7f, 0,     // on its place, 2: nothing is after it
                               0.1f, 0.8f, 0.1f, 0,     // no true position
                               1,    0,    0,    0});   // no answer
  EXPECT_EQ(look.numbers("attention_points_right"), (Numbers{{"attention_points_one_before", 2.0 / 3},
                                                             {"attention_points_right", 0.5},
                                                             {"attention_points_one_after", 0}}));
}

TEST(Probes, AttentionOnTruthOfAlignedWords) {
  HandMade look = pairs();
  look.set_attention(2, 3, 4, {0.5f, 0.5f, 0, 0, 0, 0.25f, 0.75f, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0});
  EXPECT_EQ(look.numbers("attention_on_answer"), (Numbers{{"attention_on_answer", (0.5 + 0.25 + 0 + 1) / 4}}));
}

TEST(Probes, AttentionOnTruthOfMarkedPositions) {
  HandMade look;
  look.set_lengths({3, 2, 3}, 3);
  look.batch.marked = {1, 0, 1, 0, 1, 0, 0, 0, 0};
  look.set_attention(3, 1, 3, {0.25f, 0.25f, 0.5f, 0.5f, 0.5f, 0, 1, 0, 0});
  EXPECT_EQ(look.numbers("attention_on_answer"), (Numbers{{"attention_on_answer", 0.625}}));
  look.batch.marked.assign(9, 0);
  EXPECT_EQ(look.numbers("attention_on_answer"), Numbers{});
}

// What is behind the last marked position and before the first, of rows that have one.
TEST(Probes, AttentionAroundTruth) {
  HandMade look;
  look.set_lengths({4, 3, 4}, 4);
  look.batch.marked = {0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0};
  look.set_attention(3, 1, 4, {0.125f, 0.5f, 0.25f, 0.125f, 0.5f, 0.25f, 0.25f, 0, 0.25f, 0.25f, 0.25f, 0.25f});
  EXPECT_EQ(look.numbers("attention_around_answer"),
            (Numbers{{"attention_before_answer", 0.0625}, {"attention_after_answer", 0.1875}}));
}

TEST(Probes, EntropyIsOneWhenUniformOverWhatIsPresent) {
  HandMade look;
  look.set_lengths({4, 2, 1, 3}, 4);
  look.set_attention(4, 1, 4, {0.25f, 0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
  EXPECT_NEAR(look.numbers("entropy").at("entropy"), 2.0 / 3, 1e-15);
  look.set_lengths({4}, 4);
  look.set_attention(1, 1, 4, {0.5f, 0.5f, 0, 0});
  EXPECT_DOUBLE_EQ(look.numbers("entropy").at("entropy"), 0.5);
}

// Three examples of up to four positions: one marked in each of the first two, none in the third.
HandMade marked_examples() {
  HandMade look;
  look.set_lengths({4, 3, 2}, 4);
  look.batch.marked = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  return look;
}

TEST(Probes, BetaAucCountsPairsAndHalvesTies) {
  HandMade look = marked_examples();
  // marked 3 and 1; others 2, 3, 0 and 1, 0; the third example has no mark and the padding does not count
  look.set_beta(3, 1, 4, {2, 3, 3, 0, 1, 1, 0, 99, 50, 50, 0, 0});
  // 3 beats 2, 0, 1, 0 and ties with 3; 1 beats 0, 0 and ties with 1
  EXPECT_DOUBLE_EQ(look.numbers("beta_auc").at("beta_auc"), (4.5 + 2.5) / 10);
  look.set_beta(3, 1, 4, std::vector<float>(12, 0.5f));
  EXPECT_DOUBLE_EQ(look.numbers("beta_auc").at("beta_auc"), 0.5);
  EXPECT_TRUE(look.prepared("beta_auc")->wants_beta());
}

TEST(Probes, AlphaAucIsTheSameStatisticOfAttention) {
  HandMade look = marked_examples();
  // As above, in shares: 3/8 beats 2/8, 0, 1/8, 0 and ties with 3/8; 1/8 beats 0, 0 and ties with 1/8.
  look.set_attention(3, 1, 4, {0.25f, 0.375f, 0.375f, 0, 0.125f, 0.125f, 0, 0, 0.5f, 0.5f, 0, 0});
  EXPECT_DOUBLE_EQ(look.numbers("attention_auc").at("attention_auc"), (4.5 + 2.5) / 10);
  look.batch.marked.assign(12, 0);
  EXPECT_TRUE(look.numbers("attention_auc").empty());
  look.kind = Kind::token_pairs;
  EXPECT_THROW(look.prepared("attention_auc"), Error);
}

TEST(Probes, BetaTop1NextToChance) {
  HandMade look = pairs();
  look.set_beta(2, 3, 4, {3, 1, 1, 1,    // right
                          0, 0, 0, 0,    // all equal: a quarter
                          9, 0, 0, 1,    // wrong
                          0, 1, 1, 50,   // two equal, one right; the padding does not count
                          0, 0, 0, 0,    // no true position
                          9, 0, 0, 0});  // no answer
  const auto numbers = look.numbers("beta_points_right");
  EXPECT_DOUBLE_EQ(numbers.at("beta_points_right"), (1 + 0.25 + 0 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(numbers.at("beta_points_right_chance"), (0.25 + 0.25 + 0.25 + 1.0 / 3) / 4);
}

TEST(Probes, FeatureWeightsAreMeansOverExamples) {
  HandMade look;
  look.kind = Kind::labelled_vectors;
  look.batch.marked = {0, 1, 1, 0, 0, 1, 1, 0};
  look.set_attention(2, 1, 4, {0.125f, 0.5f, 0.25f, 0.125f, 0, 0.5f, 0.5f, 0});
  EXPECT_EQ(look.numbers("feature_weights"), (Numbers{{"feature_weight_sum", 0.875},
                                                      {"feature_weight_difference", 0.125},
                                                      {"feature_weight_1", 0.5},
                                                      {"feature_weight_2", 0.375}}));
}

TEST(Probes, DigitRankIsOverRightBagsOnly) {
  HandMade look;
  look.kind = Kind::labelled_bags;
  look.batch.size = 4;
  look.batch.items.resize(4, 3, 1);
  look.batch.items.lengths = {3, 2, 3, 3};
  look.batch.marked = {0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0};
  look.set_scores(4, 2, {0, 1, 1, 0, 0, 1, 1, 0}, {1, 0, 1, 1});  // the last is wrong
  look.set_attention(4, 1, 3, {0.2f, 0.5f, 0.3f, 0.4f, 0.6f, 0, 0.1f, 0.1f, 0.8f, 0.1f, 0.2f, 0.7f});
  EXPECT_EQ(look.numbers("top1_on_answer"), (Numbers{{"top1_on_answer", 2.0 / 3}}));
}

TEST(Probes, SumsOnTruthGoByHowMuchThereIsInAnItem) {
  HandMade look;
  look.kind = Kind::labelled_bags;
  look.batch.size = 3;
  look.batch.items.resize(3, 3, 2);
  look.batch.items.lengths = {3, 2, 3};
  look.batch.items.values = {1, 0, 3, 1, 2, 0,   // 0, 3 and 1 above the least
                             2, 1, 0, 0, 9, 9,   // 3 and 0; the third item is not there
                             1, 1, 2, 0, 0, 2};  // all alike: left out
  look.batch.marked = {0, 1, 0, 0, 1, 0, 1, 0, 0};
  look.set_scores(3, 2, {0, 1, 1, 0, 0, 1}, {1, 1, 1});  // the second is wrong
  EXPECT_EQ(look.numbers("weight_on_answer_by_sums"),
            (Numbers{{"weight_on_answer_by_sums", (3.0 / 4 + 0) / 2}, {"largest_sum_is_answer", 1}}));
}

TEST(Probes, PoolingErrorIsTheMeanSquare) {
  HandMade look;
  look.kind = Kind::points;
  look.batch.answers.resize(1, 2, 1);
  look.batch.answers.values = {1, 2};
  look.predictions = {1.5f, 4};
  look.outcome.predictions = Matrix<float>(look.predictions.data(), 2, 1);
  EXPECT_EQ(look.numbers("pooling_error"), (Numbers{{"pooling_error", 2.125}}));
}

TEST(Probes, RefuseWhatTheyCanNotMeasure) {
  HandMade look;
  for (const char* name : {"attention_on_answer", "entropy"}) EXPECT_THROW(look.prepared(name, false), Error) << name;
  for (const char* name :
       {"attention_points_right", "feature_weights", "top1_on_answer", "weight_on_answer_by_sums", "pooling_error"}) {
    EXPECT_THROW(look.prepared(name), Error) << name;
  }
  look.kind = Kind::points;
  EXPECT_THROW(look.prepared("accuracy"), Error);
  look.kind = Kind::token_pairs;
  EXPECT_THROW(look.prepared("beta_auc"), Error);
}

TEST(Probes, UnknownParameterNamesTheKnownOnes) {
  HandMade look;
  const auto toy = look.prepared("toy-flow");
  EXPECT_THROW(look.ask(*toy), Error);
}

}  // namespace
}  // namespace fovea
