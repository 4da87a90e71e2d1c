#include <cmath>

#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;
using testing::Said;

// Two examples of `rows` rows over as many positions; the weights of row t are those that `weight(example, t, s)` gives.
template <class Weight>
HandMade pairs(int rows, Weight weight, std::vector<int> lengths = {}) {
  HandMade look;
  look.kind = Kind::token_pairs;
  look.set_lengths(lengths.empty() ? std::vector<int>{rows, rows} : lengths, rows);
  std::vector<float> values;
  std::vector<int> answers;
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < rows; ++t) {
      const bool asked = t < look.batch.source.lengths[static_cast<std::size_t>(b)];
      answers.push_back(asked ? 0 : -1);
      look.batch.alignment.push_back(asked ? t : -1);
      for (int s = 0; s < rows; ++s) values.push_back(static_cast<float>(weight(b, t, s)));
    }
  look.set_scores(2 * rows, 2, std::vector<float>(static_cast<std::size_t>(4 * rows)), answers);
  look.set_attention(2, rows, rows, values);
  return look;
}

TEST(Offsets, OfABandThatMovesWithTheRow) {
  // The largest weight is two or three positions after the row, but for the last rows.
  const HandMade look = pairs(12, [](int b, int t, int s) { return s == std::min(t + 2 + b, 11) ? 0.56 : 0.04; });
  const std::unique_ptr<Probe> probe = look.prepared("offsets");
  const Said said = look.ask(*probe);
  EXPECT_NEAR(said.numbers.at("band_share"), 24.0 / 24, 1e-12) << "at the end offsets are 0 to 2";
  EXPECT_EQ(said.numbers.at("band_offset"), 1) << "the first of the bands that hold all";
  EXPECT_NEAR(said.numbers.at("centroid_correlation"), 1, 1e-9);
  EXPECT_NEAR(said.numbers.at("diagonal_weight"), 0.04 + 0.52 * 2 / 22, 1e-7) << "one after, in the last rows alone";
  const std::vector<float>&share = said.arrays.at("offset_share"), &offset = said.arrays.at("offset");
  ASSERT_EQ(share.size(), 23u);
  EXPECT_EQ(offset.front(), -11);
  EXPECT_EQ(offset.back(), 11);
  EXPECT_FLOAT_EQ(share[11 + 2], (10 + 1) / 24.0f) << "rows 0 … 9 of the first example, one of the second";
  EXPECT_FLOAT_EQ(share[11 + 3], 9 / 24.0f);
}

// The share of positions that are in the band of most of them: of 12 rows and positions, 5 diagonals beside each other.
TEST(Offsets, ChanceIsThatOfPositionsDrawnEvenly) {
  const HandMade look = pairs(12, [](int, int, int s) { return s == 4 ? 0.56 : 0.04; });
  const auto numbers = look.numbers("offsets");
  EXPECT_NEAR(numbers.at("band_share_chance"), (12 + 2 * 11 + 2 * 10) / 144.0, 1e-12);
  EXPECT_NEAR(numbers.at("band_share"), 5.0 / 12, 1e-12) << "one position for all rows: an offset each";
  EXPECT_EQ(numbers.at("centroid_correlation"), 0) << "the centroid is the same in all rows";
}

TEST(Offsets, CorrelationIsWithinExamples) {
  // Uniform attention over 12 and over 4 positions: the longer example has later rows and a later centroid.
  const HandMade look = pairs(12, [](int b, int, int s) { return b == 0 ? 1.0 / 12 : s < 4 ? 0.25 : 0; }, {12, 4});
  EXPECT_EQ(look.numbers("offsets").at("centroid_correlation"), 0);
}

// Near the end a band some positions ahead has no positions left: what these rows attend to in its place does not count.
TEST(Offsets, CorrelationIsOverRowsForWhichTheBandExists) {
  const HandMade look = pairs(12, [](int, int t, int s) { return s == (t < 6 ? t + 6 : 0) ? 0.56 : 0.04; });
  const auto numbers = look.numbers("offsets");
  EXPECT_EQ(numbers.at("band_offset"), 4) << "2 to 6, the first that holds 6";
  EXPECT_NEAR(numbers.at("band_share"), 0.5, 1e-12);
  EXPECT_NEAR(numbers.at("centroid_correlation"), 1, 1e-9);
}

TEST(Offsets, AreOfTokenPairs) {
  HandMade look;
  EXPECT_THROW(look.prepared("offsets"), Error);
  look.kind = Kind::token_pairs;
  EXPECT_THROW(look.prepared("offsets", false), Error);
}

TEST(Knowledge, OfTargetWordsIsAProbability) {
  HandMade look = pairs(3, [](int, int, int) { return 1.0 / 3; });
  const auto log = [](double p) { return static_cast<float>(std::log(p)); };
  // Of each row, over three positions; the true one is the row's own.
  look.set_beta(2, 3, 3,
                {log(.5), log(.8), log(.1), log(.2), log(.25), log(.8), log(.1), log(.1), log(.75), log(.5), log(.8),
                 log(.1), log(.2), log(.25), log(.8), log(.1), log(.1), log(.75)});
  const auto numbers = look.numbers("knowledge");
  EXPECT_NEAR(numbers.at("knowledge"), 0.5, 1e-7);
  EXPECT_NEAR(numbers.at("diagonal_knowledge"), 0.8, 1e-7) << "one after the true position";
  EXPECT_TRUE(look.prepared("knowledge")->wants_beta());
}

TEST(Knowledge, OfTwoClassesIsTheLogisticOfTheLogit) {
  HandMade look;
  look.set_lengths({3, 2}, 3);
  look.batch.marked = {0, 1, 0, 0, 0, 0};
  look.set_beta(2, 1, 3, {5, 2, -5, 1, 1, 0});
  EXPECT_EQ(look.numbers("knowledge").size(), 1u);
  EXPECT_NEAR(look.numbers("knowledge").at("knowledge"), 1 / (1 + std::exp(-2.0)), 1e-12);
  look.batch.marked.assign(6, 0);
  EXPECT_TRUE(look.numbers("knowledge").empty());
}

}  // namespace
}  // namespace fovea
