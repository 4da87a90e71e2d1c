#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

TEST(Sink, IsPureAndItsLadderIsOne) {
  const ValueTable small =
      table({{"vocab", whole(6)}, {"length", whole(9)}, {"triggers", whole(2)}, {"alpha", real(0.5)}});
  expect_pure("sink", {});
  expect_pure("sink", small);
  expect_ladder("sink", {}, 0.05);
  expect_ladder("sink", small, 0.05);
  expect_ladder("sink", table({{"vocab", whole(2)}, {"triggers", whole(1)}}), 0.05);
}

TEST(Sink, AfterATriggerTheTokenBeforeItReturns) {
  const auto task = make_task("sink");
  EXPECT_EQ(task->word(2), "<trigger 2>");
  EXPECT_EQ(task->word(3), "3");
  const Batch batch = draw(*task, Split::train, 0, 200);
  int triggers = 0;
  for (int b = 0; b < 200; ++b) {
    EXPECT_GE(batch.source.at(b, 0), 3);
    for (int t = 0; t < 64; ++t) {
      if (t < 63) {
        EXPECT_EQ(batch.target.at(b, t), batch.source.at(b, t + 1));
      }
      const int aligned = batch.alignment[static_cast<std::size_t>(b * 64 + t)];
      if (batch.source.at(b, t) >= 3) {
        EXPECT_EQ(aligned, -1);
        continue;
      }
      ++triggers;
      EXPECT_EQ(aligned, t - 1);
      EXPECT_EQ(batch.target.at(b, t), batch.source.at(b, t - 1));
    }
  }
  EXPECT_GT(triggers, 200);
}

TEST(Sink, TheChainIsOneForAllSplitsAndAnotherForAnotherSeed) {
  const auto row_of = [](std::uint64_t seed, Split split) {
    const auto task = make_task("sink", {}, seed);
    Batch batch = draw(*task, split, 0, 1);
    batch.source.at(0, 5) = 40;
    const Said said(*task, batch, "back-copy");
    const auto row = said.of(batch, 0, 5);
    return std::vector<float>(row.begin(), row.end());
  };
  EXPECT_EQ(row_of(1, Split::train), row_of(1, Split::test));
  EXPECT_NE(row_of(1, Split::train), row_of(2, Split::train));
}

// Counts over many sources against what the unigram and bigram rungs say, of the same position.
TEST(Sink, RungsAreTheFrequencies) {
  const auto task =
      make_task("sink", table({{"vocab", whole(5)}, {"length", whole(6)}, {"triggers", whole(2)}, {"alpha", real(1)}}));
  const Batch batch = draw(*task, Split::train, 0, 100'000);
  for (const int t : {0, 1, 2, 5}) {
    std::vector<double> counts(5);
    std::vector<std::vector<double>> after(5, std::vector<double>(5));
    std::vector<int> example_of(5, -1);
    for (int b = 0; b < batch.size; ++b) {
      const auto token = static_cast<std::size_t>(batch.source.at(b, t));
      const auto next = static_cast<std::size_t>(batch.target.at(b, t));
      ++counts[next];
      ++after[token][next];
      example_of[token] = b;
    }
    const Said unigram(*task, batch, "unigram"), bigram(*task, batch, "bigram");
    for (std::size_t j = 0; j < 5; ++j)
      EXPECT_NEAR(counts[j] / batch.size, static_cast<double>(unigram.of(batch, 0, t)[j]), 0.007);
    for (std::size_t i = 0; i < 5; ++i) {
      double sum = 0;
      for (const double count : after[i]) sum += count;
      if (sum < 1000) continue;
      for (std::size_t j = 0; j < 5; ++j) {
        const auto said = static_cast<double>(bigram.of(batch, example_of[i], t)[j]);
        EXPECT_NEAR(after[i][j] / sum, said, 2.5 / std::sqrt(sum)) << "place " << t << ", token " << i;
      }
    }
  }
}

TEST(Sink, RungsUseWhatTheyMayKnow) {
  const auto task = make_task("sink", table({{"length", whole(4)}}));
  Batch batch = draw(*task, Split::train, 0, 1);
  batch.source.ids = {10, 20, 1, 20};
  Batch other = batch, answered = batch;
  other.source.ids = {10, 30, 1, 30};
  answered.target.ids = {5, 5, 5, 5};
  for (const char* rung : {"uniform", "unigram", "bigram", "back-copy"}) {
    for (int t = 0; t < 4; ++t) EXPECT_TRUE(same_said(*task, rung, batch, answered, t)) << rung;
  }
  EXPECT_TRUE(same_said(*task, "unigram", batch, other, 1));
  EXPECT_FALSE(same_said(*task, "bigram", batch, other, 1));
  EXPECT_TRUE(same_said(*task, "bigram", batch, other, 2));
  EXPECT_FALSE(same_said(*task, "back-copy", batch, other, 2));
  EXPECT_EQ(Said(*task, batch, "back-copy").of(batch, 0, 2)[20], 1.0f);
}

TEST(Sink, RefusesWhatCanNotBe) {
  EXPECT_NE(complaint("sink", table({{"triggers", whole(64)}})).find("task 'sink' has 64 triggers among 64 tokens"),
            std::string::npos);
  EXPECT_NE(complaint("sink", table({{"length", whole(1)}})).find("must be 2 to 2048, not 1"), std::string::npos);
}

}  // namespace
}  // namespace fovea
