#include <set>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

std::vector<float> row_of(const Batch& batch, int row) {
  const float* x = batch.items.item(row, 0);
  return {x, x + batch.items.width};
}

TEST(FeatureMean, IsPure) {
  expect_pure("feature-mean", {});
  expect_pure("feature-mean", table({{"samples", whole(30)}, {"draws", word("uniform")}}));
}

TEST(FeatureMean, LabelIsTheSignOfTheMarkedMean) {
  const auto task = make_task(
      "feature-mean", table({{"width", whole(6)}, {"features", {ValueList{whole(4), whole(1), whole(3)}, {}}}}));
  const Batch batch = draw(*task, Split::train, 0, 4000);
  double above = 0;
  for (int row = 0; row < batch.size; ++row) {
    const float* x = batch.items.item(row, 0);
    EXPECT_EQ(batch.labels[static_cast<std::size_t>(row)], x[1] + x[3] + x[4] > 0);
    const auto* marks = &batch.marked[static_cast<std::size_t>(row * 6)];
    EXPECT_EQ(std::vector<int>(marks, marks + 6), (std::vector<int>{0, 1, 0, 1, 1, 0}));
    above += batch.labels[static_cast<std::size_t>(row)];
  }
  expect_even({above, 4000 - above});  // the median is 0
}

TEST(FeatureMean, FeaturesHaveTheirDistribution) {
  for (const bool normal : {true, false}) {
    const auto task = make_task("feature-mean", table({{"draws", word(normal ? "normal" : "uniform")}}));
    const Batch batch = draw(*task, Split::test, 0, 5000);
    double squares = 0, sum = 0;
    std::vector<double> bins(10);
    for (const float x : batch.items.values) {
      sum += static_cast<double>(x);
      squares += static_cast<double>(x) * static_cast<double>(x);
      const double share =
          normal ? 0.5 * std::erfc(-static_cast<double>(x) / std::sqrt(2.0)) : 0.5 * (static_cast<double>(x) + 1);
      ASSERT_GE(share, 0);
      ASSERT_LE(share, 1);
      ++bins[std::min<std::size_t>(9, static_cast<std::size_t>(10 * share))];
    }
    EXPECT_NEAR(sum / 1e5, 0, 0.02);
    EXPECT_NEAR(squares / 1e5, normal ? 1.0 : 1.0 / 3, 0.02);
    expect_even(bins);
  }
}

TEST(FeatureMean, FixedSetIsGoneThroughInEpochsAndHeldOutIsApart) {
  const auto task = make_task(
      "feature-mean",
      table({{"samples", whole(10)}, {"held_out", whole(7)}, {"width", whole(3)}, {"informative", whole(1)}}));
  EXPECT_EQ(task->examples(Split::train), 10);
  EXPECT_EQ(task->examples(Split::validation), 7);
  std::multiset<std::vector<float>> seen;
  for (std::uint64_t step = 0; step < 5; ++step) {
    const Batch batch = draw(*task, Split::train, step, 4);
    for (int row = 0; row < 4; ++row) seen.insert(row_of(batch, row));
  }
  const std::set<std::vector<float>> different(seen.begin(), seen.end());
  EXPECT_EQ(different.size(), 10u);
  const Batch batch = draw(*task, Split::train, 0, 4);
  EXPECT_TRUE(batch.items.values.empty()) << "kept examples are not copied";
  const std::vector<float> second = row_of(batch, 1), both = batch.items.first(2);
  EXPECT_EQ(std::vector<float>(both.begin() + 3, both.end()), second);
  for (const auto& x : different) EXPECT_EQ(seen.count(x), 2u);

  std::set<std::vector<float>> held_out;
  for (const Split split : {Split::validation, Split::test})
    for (std::uint64_t slice = 0; slice < 3; ++slice) {
      const Batch batch = draw(*task, split, slice, 4);
      EXPECT_EQ(batch.size, slice == 0 ? 4 : slice == 1 ? 3 : 0);
      for (int row = 0; row < batch.size; ++row) held_out.insert(row_of(batch, row));
    }
  EXPECT_EQ(held_out.size(), 14u);
  for (const auto& x : held_out) EXPECT_EQ(different.count(x), 0u);
}

TEST(FeatureMean, RefusesWhatCanNotBe) {
  const auto says = [](const ValueTable& settings, const char* part) {
    const std::string text = complaint("feature-mean", settings);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(table({{"informative", whole(21)}}), "21 informative features of 20");
  says(table({{"informative", whole(0)}}), "must be 1 to 1000000, not 0");
  says(table({{"width", whole(0)}}), "must be 1 to 1000000, not 0");
  says(table({{"features", {ValueList{whole(20)}, {}}}}), "has no feature 20: its 20 features count from 0");
  says(table({{"features", {ValueList{whole(2), whole(2)}, {}}}}), "names a feature twice");
  says(table({{"features", {ValueList{whole(-1)}, {}}}}), "each 0 to 999999, not [-1]");
  says(table({{"samples", whole(100'000'000)}}), "do not fit into memory");
  says(table({{"samples", whole(-1)}}), "must be 0 to 100000000, not -1");
  says(table({{"held_out", whole(0)}}), "must be 1 to 100000000, not 0");
  says(table({{"draws", word("gaussian")}}), "not \"gaussian\"");
}

}  // namespace
}  // namespace fovea
