#include <algorithm>
#include <set>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(Copy, IsPure) {
  expect_pure("copy", {});
  expect_pure("copy", table({{"distinct", yes(false)}, {"target", word("permuted")}, {"vocab", whole(7)}}));
  expect_pure("copy", table({{"shortest", whole(3)}}));
}

TEST(Copy, TargetIsSourceAtTheAlignment) {
  for (const char* order : {"same", "reversed", "permuted"}) {
    const auto task = make_task("copy", table({{"vocab", whole(9)}, {"length", whole(6)}, {"target", word(order)}}), 3);
    const Batch batch = draw(*task, Split::train, 2, 20);
    ASSERT_EQ(batch.source.columns, 7);
    ASSERT_EQ(batch.target.columns, 7);
    ASSERT_EQ(batch.alignment.size(), 140u);
    for (int row = 0; row < 20; ++row) {
      EXPECT_EQ(batch.source.at(row, 6), 9);
      EXPECT_EQ(batch.target.at(row, 6), 9);
      std::set<int> used;
      for (int t = 0; t < 7; ++t) {
        const int from = batch.alignment[static_cast<std::size_t>(row * 7 + t)];
        EXPECT_EQ(batch.target.at(row, t), batch.source.at(row, from));
        EXPECT_EQ(from, batch.alignment[static_cast<std::size_t>(t)]) << "the order is one for all sources";
        used.insert(from);
        const int wanted = t == 6 ? 6 : std::string(order) == "reversed" ? 5 - t : t;
        if (t == 6 || std::string(order) != "permuted") {
          EXPECT_EQ(from, wanted);
        }
      }
      EXPECT_EQ(used.size(), 7u);
    }
  }
}

TEST(Copy, PermutedOrderComesFromTheSeed) {
  const ValueTable settings = table({{"target", word("permuted")}});
  const auto first = draw(*make_task("copy", settings, 1), Split::train, 0, 1).alignment;
  EXPECT_EQ(first, draw(*make_task("copy", settings, 1), Split::test, 7, 1).alignment);
  EXPECT_NE(first, draw(*make_task("copy", settings, 2), Split::train, 0, 1).alignment);
}

TEST(Copy, DistinctWordsAreDistinctAndPermutationsComplete) {
  const Batch permutations = draw(*make_task("copy"), Split::train, 0, 50);
  for (int row = 0; row < 50; ++row) {
    std::set<int> words;
    for (int t = 0; t < 40; ++t) words.insert(permutations.source.at(row, t));
    EXPECT_EQ(words.size(), 40u);
    EXPECT_EQ(*words.begin(), 0);
    EXPECT_EQ(*words.rbegin(), 39);
  }
  const Batch repeats = draw(*make_task("copy", table({{"distinct", yes(false)}})), Split::train, 0, 50);
  int with_repeat = 0;
  for (int row = 0; row < 50; ++row) {
    std::set<int> words;
    for (int t = 0; t < 40; ++t) words.insert(repeats.source.at(row, t));
    with_repeat += words.size() < 40;
  }
  EXPECT_EQ(with_repeat, 50);
}

TEST(Copy, EveryWordIsAsLikelyInEveryPlace) {
  for (const bool distinct : {true, false}) {
    const auto task =
        make_task("copy", table({{"vocab", whole(10)}, {"length", whole(4)}, {"distinct", yes(distinct)}}));
    const Batch batch = draw(*task, Split::train, 0, 20'000);
    for (int t = 0; t < 4; ++t) {
      std::vector<double> counts(10);
      for (int row = 0; row < batch.size; ++row) ++counts[static_cast<std::size_t>(batch.source.at(row, t))];
      expect_even(counts);
    }
  }
}

TEST(Copy, ExamplesDoNotDependOnTheBatchSize) {
  const auto task = make_task("copy");
  const Batch small = draw(*task, Split::train, 4, 3), large = draw(*task, Split::train, 4, 30);
  EXPECT_TRUE(std::equal(small.source.ids.begin(), small.source.ids.end(), large.source.ids.begin()));
}

TEST(Copy, LengthsAreDrawnFromShortestToLength) {
  for (const char* order : {"same", "reversed"}) {
    const auto task = make_task("copy", table({{"length", whole(6)}, {"shortest", whole(3)}, {"target", word(order)}}));
    const Batch batch = draw(*task, Split::train, 0, 4000);
    std::vector<double> counts(4);
    for (int row = 0; row < batch.size; ++row) {
      const int length = batch.source.lengths[static_cast<std::size_t>(row)] - 1;
      ASSERT_GE(length, 3);
      ASSERT_LE(length, 6);
      ++counts[static_cast<std::size_t>(length - 3)];
      EXPECT_EQ(batch.target.lengths[static_cast<std::size_t>(row)], length + 1);
      for (int t = 0; t < 7; ++t) {
        const int from = batch.alignment[static_cast<std::size_t>(row * 7 + t)];
        if (t > length) {
          EXPECT_EQ(from, -1);
          EXPECT_EQ(batch.source.at(row, t), -1);
          EXPECT_EQ(batch.target.at(row, t), -1);
          continue;
        }
        EXPECT_EQ(from, t == length || std::string(order) == "same" ? t : length - 1 - t);
        EXPECT_EQ(batch.target.at(row, t), batch.source.at(row, from));
        EXPECT_EQ(batch.source.at(row, t) == 40, t == length);
      }
    }
    expect_even(counts);
  }
}

TEST(Copy, ShapeCountsTheSpecialTokens) {
  const auto task = make_task("copy", table({{"vocab", whole(60)}}));
  const TaskShape shape = task->shape();
  EXPECT_EQ(shape.vocab, 62);
  EXPECT_EQ(shape.target_vocab, 62);
  EXPECT_EQ(shape.end_token, 60);
  EXPECT_EQ(shape.start_token, 61);
  EXPECT_EQ(task->word(60), "<end>");
  EXPECT_EQ(task->word(61), "<start>");
  EXPECT_EQ(task->word(5), "5");
  EXPECT_EQ(task->examples(Split::train), 0);
}

TEST(Copy, RefusesWhatCanNotBe) {
  EXPECT_NE(complaint("copy", table({{"vocab", whole(39)}})).find("cannot draw 40 distinct words from 39"),
            std::string::npos);
  EXPECT_NE(complaint("copy", table({{"length", whole(0)}})).find("must be 1 to 10000, not 0"), std::string::npos);
  EXPECT_NE(complaint("copy", table({{"vocab", whole(0)}})).find("must be 1 to 1000000, not 0"), std::string::npos);
  EXPECT_NE(complaint("copy", table({{"target", word("revers")}})).find("Did you mean 'reversed'"), std::string::npos);
  EXPECT_NE(complaint("copy", table({{"shortest", whole(41)}})).find("shortest of task 'copy' is 41, but length is 40"),
            std::string::npos);
  EXPECT_NE(complaint("copy", table({{"shortest", whole(4)}, {"target", word("permuted")}}))
                .find("needs sources of one length"),
            std::string::npos);
  EXPECT_NE(complaint("copy", table({{"distinct", whole(1)}})).find("must be true or false"), std::string::npos);
}

}  // namespace
}  // namespace fovea
