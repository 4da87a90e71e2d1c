#include "fovea/theory/streams/lag_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/error/error.h"
#include "tests/data/tasks/task_help.h"
#include "tests/theory/streams/made_stream.h"

namespace fovea {
namespace {

TEST(LagStatistics, TheLagThatDecidesTellsAllAndTheOthersNothing) {
  const MadeStream task(8, 20,
                        [](std::span<const int> x, std::size_t t, RandomStream&) { return t < 2 ? -1 : x[t - 2]; });
  const LagStatistics found = measure_lags(StreamSample(task, 4000));
  ASSERT_EQ(found.lags.size(), 20u);
  EXPECT_FALSE(found.hard);
  for (const Lag& lag : found.lags) {
    EXPECT_EQ(lag.clear, lag.lag == 2) << lag.lag;
    EXPECT_EQ(lag.positions, 4000 * (20 - std::max(2, lag.lag))) << lag.lag;
    if (lag.lag == 2) EXPECT_NEAR(lag.share, 1, 1e-12);
    else EXPECT_NEAR(lag.share, 0, 3 * lag.chance) << lag.lag;
  }
  const std::vector<Lag> best = found.best(5);
  ASSERT_EQ(best.size(), 5u);
  EXPECT_EQ(best.front().lag, 2);
  EXPECT_EQ(found.best(50).size(), 20u);
}

// With chance e the answer is drawn anew: phi2 is (1 - e)^2 (|o| - 1).
TEST(LagStatistics, ShareIsTheSquareOfHowOftenTheTokenIsTheAnswer) {
  const MadeStream task(5, 10, [](std::span<const int> x, std::size_t t, RandomStream& stream) {
    const int other = static_cast<int>(stream.integer(5));
    return stream.uniform() < 0.6 ? other : x[t];
  });
  const LagStatistics found = measure_lags(StreamSample(task, 6000));
  EXPECT_NEAR(found.lags[0].share, 0.16, 0.01);
  EXPECT_TRUE(found.lags[0].clear);
  EXPECT_FALSE(found.hard);
}

TEST(LagStatistics, IndependentAnswersAreHard) {
  for (const int vocab : {2, 7, 50}) {
    const MadeStream task(vocab, 30, [vocab](std::span<const int>, std::size_t, RandomStream& stream) {
      return static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab)));
    });
    const LagStatistics found = measure_lags(StreamSample(task, 3000));
    EXPECT_TRUE(found.hard) << vocab;
    for (const Lag& lag : found.lags) EXPECT_NEAR(lag.share, 0, 10 * lag.chance) << vocab << " " << lag.lag;
  }
}

TEST(LagStatistics, TheExclusiveOrOfTwoBitsIsHardThoughItIsDetermined) {
  const MadeStream task(
      2, 16, [](std::span<const int> x, std::size_t t, RandomStream&) { return t < 3 ? -1 : x[t - 1] ^ x[t - 3]; });
  const LagStatistics found = measure_lags(StreamSample(task, 10'000));
  EXPECT_TRUE(found.hard);
  for (const Lag& lag : found.lags) EXPECT_LT(lag.deviations, 4) << lag.lag;
}

TEST(LagStatistics, PlacesAreHardOrNotByThemselves) {
  const MadeStream task(2, 16, [](std::span<const int> x, std::size_t t, RandomStream&) {
    return t < 3 ? -1 : t == 5 ? x[2] : x[t - 1] ^ x[t - 3];
  });
  const LagStatistics found = measure_lags(StreamSample(task, 5000));
  EXPECT_FALSE(found.hard);
  EXPECT_EQ(found.positions, 13);
  EXPECT_EQ(found.hard_positions, 12);
  EXPECT_EQ(measure_lags(StreamSample(task, 199)).positions, 0) << "too few to judge a place by itself";
}

// Each sequence answers by a table of its own: positions of one sequence depend on each other, yet no token tells anything
// that holds for all sequences.
TEST(LagStatistics, ARuleOfEachSequencesOwnIsNoKnowledge) {
  const MadeStream task(4, 200, [](std::span<const int> x, std::size_t t, RandomStream& stream) {
    std::array<int, 4> rule{};
    RandomStream own = stream;  // as it stood before the sequence's answers: the same for all of them
    own.permutation(rule);
    return rule[static_cast<std::size_t>(x[t])];
  });
  const LagStatistics found = measure_lags(StreamSample(task, 500));
  EXPECT_GT(found.lags[0].share, 3 * found.lags[0].chance) << "places of one sequence look like many";
  EXPECT_TRUE(found.hard);
}

TEST(LagStatistics, LooksNoFurtherThanItIsTold) {
  const MadeStream task(3, 12, [](std::span<const int> x, std::size_t t, RandomStream&) { return t == 8 ? x[0] : -1; });
  EXPECT_EQ(measure_lags(StreamSample(task, 100)).lags.size(), 9u) << "nothing is asked behind place 8";
  EXPECT_EQ(measure_lags(StreamSample(task, 100), {.most = 3}).lags.size(), 4u);
  EXPECT_EQ(measure_lags(StreamSample(task, 100)).best(1).front().lag, 8);
  EXPECT_THROW(StreamSample(task, 0), Error);
  EXPECT_THROW(StreamSample(*make_task("copy"), 10), Error);
}

// All 8! ways of putting eight answers to eight tokens.
TEST(LagStatistics, MomentsOfTheStatisticAreThoseOverAllPermutations) {
  const int rows[] = {0, 0, 0, 1, 1, 2, 2, 2};
  std::vector<int> columns{0, 0, 1, 1, 1, 1, 0, 3};
  std::sort(columns.begin(), columns.end());
  double sum = 0, squares = 0, ways = 0;
  Contingency table;
  do {  // distinct ones, of which each stands for equally many
    std::vector<Observation> observations;
    for (std::size_t n = 0; n < 8; ++n) observations.push_back({rows[n], columns[n]});
    table = contingency(observations, 3, 5);
    sum += table.chi2;
    squares += table.chi2 * table.chi2;
    ++ways;
  } while (std::next_permutation(columns.begin(), columns.end()));
  EXPECT_EQ(ways, 280);
  EXPECT_EQ(table.rows, 3);
  EXPECT_EQ(table.columns, 3);
  EXPECT_NEAR(table.mean, sum / ways, 1e-12);
  EXPECT_NEAR(table.variance, squares / ways - sum * sum / ways / ways, 1e-12);
}

TEST(LagStatistics, DeviationsAreThoseOfANormalDistribution) {
  double sum = 0, squares = 0, beyond = 0;
  constexpr int tables = 4000;
  for (int n = 0; n < tables; ++n) {
    RandomStream stream(3, "tables", 0, static_cast<std::uint64_t>(n));
    std::vector<Observation> observations(200);
    for (Observation& o : observations) {
      o.row = static_cast<int>(stream.integer(4));
      o.column = static_cast<int>(stream.integer(6));
    }
    const double z = contingency(observations, 4, 6).deviations();
    sum += z / tables;
    squares += z * z / tables;
    beyond += z > 2;
  }
  EXPECT_NEAR(sum, 0, 0.06);
  EXPECT_NEAR(squares, 1, 0.08);
  EXPECT_NEAR(beyond / tables, 0.0228, 0.008);
}

}  // namespace
}  // namespace fovea
