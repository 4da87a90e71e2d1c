#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/theory/prediction/prediction.h"
#include "tests/theory/prediction/made_texts.h"

namespace fovea {
namespace {

TEST(Prediction, CandidatesAreRankedWithTheirChanceAndSettledByMore) {
  Team team;
  const Prediction few = predict(leaning_texts(60, 1, 0.9), team);
  const OutputPrediction& positive = few.outputs[few.outputs[0].output == 1 ? 0 : 1];
  ASSERT_FALSE(positive.candidates.empty());
  EXPECT_EQ(positive.candidates.front().input, 30);
  EXPECT_GT(positive.candidates.front().likely, 0.8);
  for (std::size_t i = 1; i < positive.candidates.size(); ++i)
    EXPECT_LE(positive.candidates[i].likely, positive.candidates[i - 1].likely);
  // What settles it lies where it says, within a factor of two.
  const double settled = positive.candidates.front().settled_by;
  const auto sure = [&](double examples) {
    const Prediction p = predict(leaning_texts(static_cast<std::int64_t>(examples), 1, 0.9), team);
    const auto& words = p.outputs[p.outputs[0].output == 1 ? 0 : 1].words;
    return std::any_of(words.begin(), words.end(), [](const WordLink& word) { return word.input == 30; });
  };
  EXPECT_TRUE(sure(2 * settled)) << settled;
  EXPECT_FALSE(sure(0.3 * settled)) << settled;
}

// Of a hundred data sets with one word of thirty that leans a little: the first candidates are right as often as said.
TEST(Prediction, CandidatesAreRightAsOftenAsTheySay) {
  Team team;
  double said = 0, right = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Prediction p = predict(leaning_texts(30, seed, 0.8), team);
    const OutputPrediction& positive = p.outputs[p.outputs[0].output == 1 ? 0 : 1];
    if (positive.candidates.empty()) continue;
    said += positive.candidates.front().likely;
    right += positive.candidates.front().input == 30 ? 1 : 0.5;  // of a word without any link either sign is right
  }
  EXPECT_GT(right, 0.9 * said);
  EXPECT_GT(said, 60);
}

}  // namespace
}  // namespace fovea
