#include <set>

#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

TEST(Clamps, IsPureAndItsLadderIsOne) {
  for (const ValueTable& settings :
       {ValueTable{}, table({{"items", whole(4)}, {"labels", whole(4)}, {"pairs", whole(4)}})}) {
    expect_pure("clamps", settings);
    expect_ladder("clamps", settings);
  }
}

TEST(Clamps, TheQuerysLabelIsAskedAndKnownFromTheContextAlone) {
  const auto task = make_task("clamps");
  const Batch batch = draw(*task, Split::train, 0, 20'000);
  ASSERT_EQ(batch.source.columns, 5);
  std::vector<double> answers(5), positions(2);
  for (int b = 0; b < batch.size; ++b) {
    const int query = batch.source.at(b, 4), answer = batch.target.at(b, 4);
    EXPECT_NE(batch.source.at(b, 0), batch.source.at(b, 2));
    EXPECT_NE(batch.source.at(b, 1), batch.source.at(b, 3));
    const int copy = query == batch.source.at(b, 0) ? 0 : 2;
    EXPECT_EQ(batch.source.at(b, copy), query);
    EXPECT_EQ(batch.source.at(b, copy + 1), answer);
    EXPECT_EQ(batch.alignment[static_cast<std::size_t>(b * 5 + 4)], copy + 1);
    for (int t = 0; t < 4; ++t) EXPECT_EQ(batch.target.at(b, t), -1);
    ++answers[static_cast<std::size_t>(answer)];
    ++positions[static_cast<std::size_t>(copy / 2)];
  }
  expect_even(answers);
  expect_even(positions);
  EXPECT_NEAR(cross_entropy(*task, batch, "nothing"), std::log(5), 1e-6);
  EXPECT_NEAR(cross_entropy(*task, batch, "bag"), std::log(2), 1e-6);
  EXPECT_EQ(cross_entropy(*task, batch, "match"), 0);
  EXPECT_EQ(task->word(4), "label 4");
  EXPECT_EQ(task->word(5), "item 0");
}

TEST(Clamps, RefusesMorePairsThanThereAre) {
  EXPECT_NE(complaint("clamps", table({{"pairs", whole(6)}})).find("6 pairs of 50 items and 5 labels"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
