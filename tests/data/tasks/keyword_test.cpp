#include <algorithm>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(Keyword, IsPure) {
  expect_pure("keyword", {});
  expect_pure("keyword", table({{"keywords", whole(2)}, {"shortest", whole(5)}, {"occurrences", whole(3)}}));
}

TEST(Keyword, StandsOnceInPositiveSequencesOnly) {
  const Batch batch = draw(*make_task("keyword"), Split::train, 0, 2000);
  double positive = 0;
  std::vector<double> positions(20), words(49);
  for (int row = 0; row < batch.size; ++row) {
    int found = 0;
    for (int l = 0; l < 20; ++l) {
      const bool key = batch.source.at(row, l) == 49;
      EXPECT_EQ(batch.marked[static_cast<std::size_t>(row * 20 + l)], key ? 1 : 0);
      found += key;
      if (key) ++positions[static_cast<std::size_t>(l)];
      else ++words[static_cast<std::size_t>(batch.source.at(row, l))];
    }
    EXPECT_EQ(found, batch.labels[static_cast<std::size_t>(row)]);
    positive += found;
  }
  expect_even({positive, 2000 - positive});
  expect_even(positions);
  expect_even(words);
}

TEST(Keyword, TwoWordsGiveTheToyTask) {
  const auto task = make_task("keyword", table({{"vocab", whole(2)}, {"length", whole(2)}}));
  const Batch batch = draw(*task, Split::train, 0, 100);
  for (int row = 0; row < 100; ++row)
    EXPECT_EQ(batch.source.at(row, 0) + batch.source.at(row, 1), batch.labels[static_cast<std::size_t>(row)]);
}

TEST(Keyword, SecondKeywordMarksTheNegativeClass) {
  const auto task = make_task("keyword", table({{"keywords", whole(2)}, {"occurrences", whole(3)}}));
  const Batch batch = draw(*task, Split::validation, 0, 200);
  for (int row = 0; row < 200; ++row) {
    const int label = batch.labels[static_cast<std::size_t>(row)];
    const int* begin = &batch.source.ids[static_cast<std::size_t>(row * 20)];
    EXPECT_EQ(std::count(begin, begin + 20, 49), label == 1 ? 3 : 0);
    EXPECT_EQ(std::count(begin, begin + 20, 48), label == 0 ? 3 : 0);
    const auto marks = batch.marked.begin() + row * 20;
    EXPECT_EQ(std::count(marks, marks + 20, 1), 3);
  }
  EXPECT_EQ(task->word(49), "key");
  EXPECT_EQ(task->word(48), "anti-key");
  EXPECT_EQ(task->class_name(0), "negative");
}

TEST(Keyword, LengthsCoverTheirRangeAndPaddingIsMinusOne) {
  const auto task =
      make_task("keyword", table({{"length", whole(8)}, {"shortest", whole(3)}, {"occurrences", whole(3)}}));
  const Batch batch = draw(*task, Split::train, 0, 3000);
  std::vector<double> lengths(6);
  for (int row = 0; row < batch.size; ++row) {
    const int length = batch.source.lengths[static_cast<std::size_t>(row)];
    ASSERT_GE(length, 3);
    ASSERT_LE(length, 8);
    ++lengths[static_cast<std::size_t>(length - 3)];
    for (int l = 0; l < 8; ++l) EXPECT_EQ(batch.source.at(row, l) == -1, l >= length);
  }
  expect_even(lengths);
}

TEST(Keyword, DistractorsLeanTowardsThePositiveClass) {
  const auto task = make_task("keyword", table({{"distractors", whole(7)}, {"pull", real(0.5)}}));
  const Batch batch = draw(*task, Split::train, 0, 20'000);
  double in_positive = 0, in_negative = 0;
  for (int row = 0; row < batch.size; ++row)
    for (int l = 0; l < 20; ++l)
      if (batch.source.at(row, l) < 7) ++(batch.labels[static_cast<std::size_t>(row)] ? in_positive : in_negative);
  EXPECT_NEAR(in_positive / (10'000.0 * 19 * 7 / 49), 1.0, 0.05);  // the keyword takes one of the 20 positions
  EXPECT_NEAR(in_negative / (10'000.0 * 20 * 7 / 49), 0.5, 0.05);
}

TEST(Keyword, RefusesWhatCanNotBe) {
  const auto says = [](const ValueTable& settings, const char* part) {
    const std::string text = complaint("keyword", settings);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(table({{"vocab", whole(2)}, {"keywords", whole(2)}}), "no other word");
  says(table({{"vocab", whole(1)}}), "must be 2 to 1000000, not 1");
  says(table({{"keywords", whole(3)}}), "must be 1 to 2, not 3");
  says(table({{"shortest", whole(21)}}), "shortest of task 'keyword' is 21, but length is 20");
  says(table({{"shortest", whole(-1)}}), "must be 0 to 100000, not -1");
  says(table({{"length", whole(0)}}), "must be 1 to 100000, not 0");
  says(table({{"shortest", whole(2)}, {"occurrences", whole(3)}}),
       "3 occurrences of the keyword do not fit into a sequence of 2 words");
  says(table({{"distractors", whole(49)}}), "49 distractors among 49 ordinary words");
  says(table({{"pull", real(1.5)}}), "must be 0 to 1, not 1.5");
  says(table({{"keyword", whole(1)}}), "Did you mean 'keywords'");
}

}  // namespace
}  // namespace fovea
