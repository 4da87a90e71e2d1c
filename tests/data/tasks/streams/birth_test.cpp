#include <map>

#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

bool is_trigger(const Task& task, int token) { return task.word(token).find("trigger") != std::string::npos; }

TEST(Birth, IsPureAndItsLadderIsOne) {
  const ValueTable small = table({{"vocab", whole(8)}, {"length", whole(20)}, {"triggers", whole(2)}});
  expect_pure("birth", {});
  expect_pure("birth", small);
  expect_ladder("birth", {});
  expect_ladder("birth", small, 0.5);
}

TEST(Birth, AskedIsWhatFollowedAnEarlierCopyOfATrigger) {
  const auto task = make_task("birth");
  const Batch batch = draw(*task, Split::train, 0, 200);
  int asked = 0;
  for (int b = 0; b < 200; ++b) {
    std::map<int, int> successor, position;  // of the triggers that have stood
    for (int t = 0; t < 64; ++t) {
      const int token = batch.source.at(b, t), target = batch.target.at(b, t);
      const int aligned = batch.alignment[static_cast<std::size_t>(b * 64 + t)];
      if (is_trigger(*task, token) && successor.contains(token)) {
        ++asked;
        EXPECT_EQ(target, successor[token]);
        EXPECT_EQ(aligned, position[token]);
        EXPECT_EQ(batch.source.at(b, aligned - 1), token);
        EXPECT_EQ(batch.source.at(b, aligned), target);
        if (t < 63) {
          EXPECT_EQ(batch.source.at(b, t + 1), target);
        }
      } else {
        EXPECT_EQ(target, -1);
        EXPECT_EQ(aligned, -1);
      }
      if (is_trigger(*task, token) && t < 63) {
        successor[token] = batch.source.at(b, t + 1);
        position[token] = t + 1;
      }
    }
  }
  EXPECT_GT(asked, 2000);
}

TEST(Birth, TriggersAreFewFrequentAndOneSetForAllSplits) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const auto task = make_task("birth", {}, seed);
    const Batch batch = draw(*task, Split::test, 0, 2000);
    int triggers = 0, common = 0, first = 0;
    for (int token = 0; token < 65; ++token) {
      triggers += is_trigger(*task, token);
      common += is_trigger(*task, token) && token < 12;
    }
    for (int b = 0; b < batch.size; ++b) first += is_trigger(*task, batch.source.at(b, 0));
    EXPECT_EQ(triggers, 5);
    EXPECT_GE(common, 4);
    EXPECT_GT(first, 0.4 * batch.size);  // Zipf: 0.48 of 65
  }
}

TEST(Birth, SuccessorsAreDrawnEvenlyForEachSource) {
  const auto task = make_task("birth", table({{"vocab", whole(10)}, {"triggers", whole(2)}}));
  const Batch batch = draw(*task, Split::train, 0, 20'000);
  std::vector<double> counts(10);
  for (int b = 0; b < batch.size; ++b) {
    if (is_trigger(*task, batch.source.at(b, 0))) ++counts[static_cast<std::size_t>(batch.source.at(b, 1))];
  }
  expect_even(counts);
}

TEST(Birth, TheUnigramIsHowOftenEachTokenIsTheAnswer) {
  const auto task = make_task("birth");
  const Batch batch = draw(*task, Split::validation, 0, 10'000);
  std::vector<double> counts(65);
  double sum = 0;
  int example = 0, position = 0;
  for (int b = 0; b < batch.size; ++b) {
    for (int t = 0; t < 64; ++t) {
      if (batch.target.at(b, t) < 0) continue;
      ++counts[static_cast<std::size_t>(batch.target.at(b, t))];
      ++sum;
      example = b;
      position = t;
    }
  }
  const Said said(*task, batch, "unigram");
  for (std::size_t j = 0; j < 65; ++j)
    EXPECT_NEAR(counts[j] / sum, static_cast<double>(said.of(batch, example, position)[j]), 0.02);
  EXPECT_LT(cross_entropy(*task, batch, "unigram"), std::log(65));
}

TEST(Birth, RungsUseWhatTheyMayKnow) {
  const auto task = make_task("birth", table({{"length", whole(6)}}));
  int trigger = 0;
  while (!is_trigger(*task, trigger)) ++trigger;
  Batch batch = draw(*task, Split::train, 0, 1);
  batch.source.ids = {trigger, 40, 50, 60, trigger, 40};
  batch.target.ids = {-1, -1, -1, -1, 40, -1};
  Batch reordered = batch, other = batch, later = batch, answered = batch;
  reordered.source.ids = {trigger, 60, 40, 50, trigger, 60};
  other.source.ids = {trigger, 40, 51, 61, trigger, 40};
  later.source.ids[5] = 7;
  answered.target.ids[4] = 7;
  for (const char* rung : {"unigram", "bag", "induction"}) {
    EXPECT_TRUE(same_said(*task, rung, batch, later, 4)) << rung;
    EXPECT_TRUE(same_said(*task, rung, batch, answered, 4)) << rung;
  }
  EXPECT_TRUE(same_said(*task, "unigram", batch, other, 4));
  EXPECT_TRUE(same_said(*task, "bag", batch, reordered, 4));
  EXPECT_FALSE(same_said(*task, "bag", batch, other, 4));
  EXPECT_TRUE(same_said(*task, "induction", batch, other, 4));
  EXPECT_FALSE(same_said(*task, "induction", batch, reordered, 4));
  EXPECT_EQ(Said(*task, batch, "bag").of(batch, 0, 4)[50], 0.25f);
  EXPECT_EQ(Said(*task, batch, "induction").of(batch, 0, 4)[40], 1.0f);
}

TEST(Birth, RefusesWhatCanNotBe) {
  EXPECT_NE(complaint("birth", table({{"vocab", whole(5)}})).find("task 'birth' has 5 triggers among 5 tokens"),
            std::string::npos);
  EXPECT_NE(complaint("birth", table({{"concentration", real(0)}})).find("concentration"), std::string::npos);
}

}  // namespace
}  // namespace fovea
