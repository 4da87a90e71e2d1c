#include "fovea/base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

using Row = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Statistics, EqualValuesShareTheMeanOfTheirRanks) {
  EXPECT_EQ(ranks_of(Row{3, 1, 2}), (Row{3, 1, 2}));
  EXPECT_EQ(ranks_of(Row{5, 1, 5, 7}), (Row{2.5, 1, 2.5, 4}));
  EXPECT_EQ(ranks_of(Row{2, 2, 2}), (Row{2, 2, 2}));
  EXPECT_EQ(ranks_of(Row{infinity, -infinity, infinity}), (Row{2.5, 1, 2.5}));
  EXPECT_EQ(ranks_of(Row{}), Row{});
}

TEST(Statistics, QuantilesLieBetweenNeighbours) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(quantile_of({0, 10, 20, 30, 40}, 0.25), 10);
  EXPECT_DOUBLE_EQ(quantile_of({0, 10}, 0.3), 3);
  EXPECT_EQ(quantile_of({7}, 0.9), 7);
  EXPECT_EQ(quantile_of({2, 1}, 0), 1);
  EXPECT_EQ(quantile_of({2, 1}, 1), 2);
}

TEST(Statistics, NeverIsLargerThanEveryNumberAndWhatIsMissingDoesNotCount) {
  EXPECT_EQ(median_of({1, infinity, infinity}), infinity);
  EXPECT_EQ(median_of({1, infinity, infinity, infinity}), infinity);
  EXPECT_EQ(median_of({1, 2, infinity}), 2);
  EXPECT_EQ(median_of({1, NAN, 3}), 2);
  EXPECT_TRUE(std::isnan(median_of({NAN})));
  EXPECT_TRUE(std::isnan(quantile_of({}, 0.5)));
}

TEST(Statistics, DeviationsAreOverNMinusOne) {
  EXPECT_DOUBLE_EQ(deviation_of(Row{1, 2, 3, 4}), std::sqrt(5.0 / 3));
  EXPECT_EQ(deviation_of(Row{2, 2}), 0);
  EXPECT_TRUE(std::isnan(deviation_of(Row{2})));
}

// By hand, of the quadratic (share - p)² = z² p (1 - p) / n: both ends solve it.
TEST(Statistics, TheIntervalOfAShareHasSomeWidthWhereNoneOrAllHold) {
  constexpr double z = 1.959963984540054;
  for (const auto& [holding, all] : {std::pair{11, 20}, std::pair{0, 20}, std::pair{20, 20}, std::pair{1, 3}}) {
    const Estimate share = share_interval(holding, all);
    EXPECT_DOUBLE_EQ(share.mean, static_cast<double>(holding) / all);
    for (const double end : {share.low, share.high})
      EXPECT_NEAR(std::pow(share.mean - end, 2), z * z * end * (1 - end) / all, 1e-12) << holding << " of " << all;
    EXPECT_LE(share.low, share.mean);
    EXPECT_GE(share.high, share.mean);
    EXPECT_GT(share.high - share.low, 0.1);
  }
  EXPECT_NEAR(share_interval(0, 20).high, 0.161, 5e-4);
  EXPECT_TRUE(std::isnan(share_interval(0, 0).mean));
}

TEST(Statistics, RankCorrelationsAreThoseOfTheOrder) {
  EXPECT_DOUBLE_EQ(rank_correlation(Row{1, 2, 3}, Row{10, 100, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(Row{1, 2, 3}, Row{3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation(Row{1, 2, 3, 4}, Row{1, 3, 2, 4}), 0.8);
  EXPECT_DOUBLE_EQ(rank_correlation(Row{1, 1, 2}, Row{1, 2, 3}), std::sqrt(0.75));
  EXPECT_TRUE(std::isnan(rank_correlation(Row{1, 1}, Row{1, 2})));
}

TEST(Statistics, SlopeOfLogarithmsIsAnExponent) {
  EXPECT_NEAR(log_slope(Row{1, 2, 8}, Row{5, 20, 320}), 2, 1e-12);
  EXPECT_NEAR(log_slope(Row{1, 2, 4}, Row{1, 3, 1}), 0, 1e-12);
  EXPECT_EQ(log_slope(Row{1, 2}, Row{1, std::numeric_limits<double>::infinity()}),
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(log_slope(Row{2, 2}, Row{1, 3})));
  EXPECT_TRUE(std::isnan(log_slope(Row{1, 2}, Row{-1, 3})));
}

// The interval holds the true mean about as often as it says: over 400 samples of 60 examples, each true with chance
// 0.7.
TEST(Statistics, TheBootstrapIntervalHoldsTheMeanAsOftenAsItSays) {
  int held = 0;
  for (std::uint64_t sample = 0; sample < 400; ++sample) {
    RandomStream stream(2, "test", sample);
    Row values(60);
    for (double& x : values) x = stream.uniform() < 0.7 ? 1 : 0;
    const Estimate interval = bootstrap_mean(values, 3, 500);
    EXPECT_LE(interval.low, interval.mean);
    EXPECT_GE(interval.high, interval.mean);
    held += interval.low <= 0.7 && 0.7 <= interval.high;
  }
  EXPECT_GT(held, 400 * 0.91);
  EXPECT_LT(held, 400 * 0.99);
}

TEST(Statistics, TheBootstrapPassesOverWhatHasNoValue) {
  const Estimate interval = bootstrap_mean(Row{1, NAN, 3}, 1, 100);
  EXPECT_DOUBLE_EQ(interval.mean, 2);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 3);
  EXPECT_TRUE(std::isnan(bootstrap_mean(Row{NAN}, 1, 100).mean));
  const Estimate again = bootstrap_mean(Row{1, 3}, 1, 100);
  EXPECT_EQ(again.low, interval.low);
}

// Percentiles of three values are the least and the largest of them: that is no interval.
TEST(Statistics, AMeanOfFewValuesHasNoInterval) {
  const Estimate few = mean_interval(Row{1, 2, 4, 4, 4}, 0);
  EXPECT_DOUBLE_EQ(few.mean, 3);
  EXPECT_TRUE(std::isnan(few.low) && std::isnan(few.high));
  const Estimate enough = mean_interval(Row{1, 2, 3, 4, 5, 6}, 0);
  EXPECT_GT(enough.low, 1);
  EXPECT_LT(enough.low, 3);
  EXPECT_LT(enough.high, 6);
}

}  // namespace
}  // namespace fovea
