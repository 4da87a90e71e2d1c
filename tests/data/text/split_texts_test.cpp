#include "fovea/data/text/split_texts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

TEST(SplitTexts, EachClassGivesItsShare) {
  std::vector<int> classes;
  for (int i = 0; i < 1000; ++i) classes.push_back(i % 10 == 0 ? 1 : 0);
  const std::vector<Split> splits = split_by_fraction(classes, {0.2, 0.1}, 3);
  ASSERT_EQ(splits.size(), classes.size());
  int counts[2][3] = {};
  for (std::size_t i = 0; i < splits.size(); ++i) ++counts[classes[i]][static_cast<int>(splits[i])];
  EXPECT_EQ(counts[0][static_cast<int>(Split::train)], 630);
  EXPECT_EQ(counts[0][static_cast<int>(Split::validation)], 180);
  EXPECT_EQ(counts[0][static_cast<int>(Split::test)], 90);
  EXPECT_EQ(counts[1][static_cast<int>(Split::train)], 70);
  EXPECT_EQ(counts[1][static_cast<int>(Split::validation)], 20);
  EXPECT_EQ(counts[1][static_cast<int>(Split::test)], 10);
  EXPECT_EQ(splits, split_by_fraction(classes, {0.2, 0.1}, 3));
  EXPECT_NE(splits, split_by_fraction(classes, {0.2, 0.1}, 4));
}

TEST(SplitTexts, EachClassKeepsOneToTrainOn) {
  const std::vector<int> classes{0, 1, 1, 2, 2, 2};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    int left[3] = {};
    const std::vector<Split> splits = split_by_fraction(classes, {0.6, 0.3}, seed);
    for (std::size_t i = 0; i < classes.size(); ++i) left[classes[i]] += splits[i] == Split::train;
    EXPECT_EQ(left[0], 1);
    EXPECT_EQ(left[1], 1);
    EXPECT_EQ(left[2], 1);
  }
}

TEST(SplitTexts, TheSecondOfTwoIsForValidation) {
  for (const Fractions fractions : {Fractions{0.3, 0.3}, Fractions{0.5, 0.25}, Fractions{0.25, 0.05}}) {
    const std::vector<Split> splits = split_by_fraction(std::vector<int>{0, 0}, fractions, 1);
    EXPECT_EQ(std::ranges::count(splits, Split::validation), 1) << fractions.validation;
    EXPECT_EQ(std::ranges::count(splits, Split::test), 0) << fractions.validation;
  }
}

TEST(SplitTexts, RefusesToLeaveNothing) {
  const std::vector<int> classes{0, 1};
  EXPECT_THROW(split_by_fraction(classes, {0.5, 0.5}, 1), Error);
  EXPECT_THROW(split_by_fraction(classes, {-0.1, 0.5}, 1), Error);
  EXPECT_TRUE(split_by_fraction({}, {}, 1).empty());
}

}  // namespace
}  // namespace fovea
