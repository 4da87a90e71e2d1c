#include <set>

#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

ValueTable induction_of(int vocab, int length) { return table({{"vocab", whole(vocab)}, {"length", whole(length)}}); }

TEST(Induction, IsPureAndItsLadderIsOne) {
  expect_pure("induction", {});
  expect_ladder("induction", {});
  for (const auto& [vocab, length] : {std::pair{8, 8}, {7, 8}, {6, 8}, {3, 30}, {2, 3}, {40, 3}}) {
    expect_pure("induction", induction_of(vocab, length));
    expect_ladder("induction", induction_of(vocab, length), 0.5);
  }
}

TEST(Induction, TheAnswerFollowedTheOnlyEarlierCopy) {
  for (const auto& [vocab, length] : {std::pair{64, 16}, {8, 8}, {7, 8}, {6, 8}, {3, 30}, {2, 3}}) {
    const Batch batch = draw(*make_task("induction", induction_of(vocab, length)), Split::train, 0, 100);
    const int last = length - 1;
    for (int b = 0; b < 100; ++b) {
      const int query = batch.source.at(b, last);
      std::vector<int> copies;
      std::set<int> words;
      for (int t = 0; t < last; ++t) {
        if (batch.source.at(b, t) == query) copies.push_back(t);
        words.insert(batch.source.at(b, t));
        EXPECT_EQ(batch.target.at(b, t), -1);
        EXPECT_EQ(batch.alignment[static_cast<std::size_t>(b * length + t)], -1);
      }
      ASSERT_EQ(copies.size(), 1u);
      ASSERT_LT(copies[0], last - 1);
      EXPECT_EQ(batch.alignment[static_cast<std::size_t>(b * length + last)], copies[0] + 1);
      EXPECT_EQ(batch.target.at(b, last), batch.source.at(b, copies[0] + 1));
      EXPECT_NE(batch.target.at(b, last), query);
      if (vocab >= last) {
        EXPECT_EQ(words.size(), static_cast<std::size_t>(last));
      }
    }
  }
}

TEST(Induction, AnswersAndTheirPlacesAreEven) {
  for (const int vocab : {9, 4}) {
    const Batch batch = draw(*make_task("induction", induction_of(vocab, 8)), Split::train, 0, 20'000);
    std::vector<double> answers(static_cast<std::size_t>(vocab)), queries(answers), positions(6);
    for (int b = 0; b < batch.size; ++b) {
      ++answers[static_cast<std::size_t>(batch.target.at(b, 7))];
      ++queries[static_cast<std::size_t>(batch.source.at(b, 7))];
      ++positions[static_cast<std::size_t>(batch.alignment[static_cast<std::size_t>(b * 8 + 7)] - 1)];
    }
    expect_even(answers);
    expect_even(queries);
    expect_even(positions);
  }
}

TEST(Induction, HeightsAreThoseOfTheBagAndOfNothing) {
  const auto task = make_task("induction");
  const Batch batch = draw(*task, Split::train, 0, 1000);
  EXPECT_NEAR(cross_entropy(*task, batch, "nothing"), std::log(64), 1e-6);
  EXPECT_NEAR(cross_entropy(*task, batch, "bag"), std::log(14), 1e-6);
  EXPECT_EQ(cross_entropy(*task, batch, "induction"), 0);
}

TEST(Induction, RungsUseWhatTheyMayKnow) {
  const auto task = make_task("induction", induction_of(9, 6));
  Batch batch = draw(*task, Split::train, 0, 1);
  batch.source.ids = {1, 2, 3, 4, 5, 2};
  Batch reordered = batch, other = batch, answered = batch;
  reordered.source.ids = {4, 1, 3, 2, 5, 2};
  other.source.ids = {1, 2, 3, 4, 8, 2};
  answered.target.ids.back() = 0;
  EXPECT_TRUE(same_said(*task, "nothing", batch, other, 5));
  EXPECT_TRUE(same_said(*task, "bag", batch, reordered, 5));
  EXPECT_FALSE(same_said(*task, "bag", batch, other, 5));
  EXPECT_TRUE(same_said(*task, "induction", batch, other, 5));
  EXPECT_FALSE(same_said(*task, "induction", batch, reordered, 5));
  for (const char* rung : {"nothing", "bag", "induction"}) EXPECT_TRUE(same_said(*task, rung, batch, answered, 5));
  EXPECT_EQ(Said(*task, batch, "induction").of(batch, 0, 5)[3], 1.0f);
}

TEST(Induction, RefusesWhatCanNotBe) {
  EXPECT_NE(complaint("induction", induction_of(1, 8)).find("must be 2 to 100000, not 1"), std::string::npos);
  EXPECT_NE(complaint("induction", induction_of(8, 2)).find("must be 3 to 10000, not 2"), std::string::npos);
}

}  // namespace
}  // namespace fovea
