#include "fovea/probe/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fovea/base/random.h"

namespace fovea {
namespace {

using Row = std::vector<double>;

TEST(Agreement, RankCorrelationsAreSciPys) {
  const auto reference =
      nlohmann::json::parse(std::ifstream(std::string(FOVEA_SOURCE_DIR) + "/tests/reference/agreement.json"));
  ASSERT_GT(reference["cases"].size(), 20u);
  for (const auto& one : reference["cases"]) {
    const Row a = one["a"].get<Row>(), b = one["b"].get<Row>();
    EXPECT_NEAR(kendall_tau(a, b), one["tau"].get<double>(), 1e-12) << a.size();
    EXPECT_NEAR(spearman_rho(a, b), one["rho"].get<double>(), 1e-12) << a.size();
    EXPECT_NEAR(kendall_tau(b, a), kendall_tau(a, b), 1e-15);
  }
}

TEST(Agreement, ThereIsNoRankCorrelationWithoutRanks) {
  for (const auto correlation : {kendall_tau, spearman_rho}) {
    EXPECT_TRUE(std::isnan(correlation(Row{}, Row{})));
    EXPECT_TRUE(std::isnan(correlation(Row{1}, Row{2})));
    EXPECT_TRUE(std::isnan(correlation(Row{1, 1, 1}, Row{1, 2, 3})));
    EXPECT_TRUE(std::isnan(correlation(Row{1, 2, 3}, Row{5, 5, 5})));
    EXPECT_TRUE(std::isnan(correlation(Row{1, NAN, 3}, Row{1, 2, 3})));
    EXPECT_DOUBLE_EQ(correlation(Row{1, 2, 3}, Row{10, 20, 25}), 1.0);
    EXPECT_DOUBLE_EQ(correlation(Row{1, 2, 3}, Row{3, 2, -9}), -1.0);
  }
}

TEST(Agreement, FewerThanKMayBeGreater) {
  Row a(40), b(40);
  a[7] = 1;
  for (std::size_t i = 0; i < 40; ++i) b[i] = static_cast<double>(i);
  EXPECT_FALSE(agrees(a, b));
  b[7] = 38.5;  // one is greater, and k = 2
  EXPECT_TRUE(agrees(a, b));
  b[7] = 37.5;
  EXPECT_FALSE(agrees(a, b));
  b[7] = 38;  // equal is not greater
  EXPECT_TRUE(agrees(a, b));
  EXPECT_TRUE(agrees(Row{0.1, 0.9}, Row{0.4, 0.6})) << "k is at least 1";
  EXPECT_FALSE(agrees(Row{0.1, 0.9}, Row{0.6, 0.4}));
  EXPECT_TRUE(agrees(Row{3}, Row{-1}));
  EXPECT_TRUE(agrees(Row(21, 1.0), Row{9, 8, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}))
      << "21 entries: k = 2";
}

TEST(Agreement, ByChanceIsTheMeanOverShuffledRows) {
  Row a(30), b(30);
  RandomStream stream(1, "test");
  for (double& x : a) x = stream.uniform();
  for (double& x : b) x = static_cast<double>(stream.integer(12));
  constexpr int draws = 20'000;
  int agreed = 0;
  std::vector<int> order(30);
  Row shuffled(30);
  for (int i = 0; i < draws; ++i) {
    stream.permutation(order);
    std::transform(order.begin(), order.end(), shuffled.begin(),
                   [&b](int at) { return b[static_cast<std::size_t>(at)]; });
    agreed += agrees(a, shuffled);
  }
  EXPECT_NEAR(agreement_by_chance(b), static_cast<double>(agreed) / draws, 0.01);
  EXPECT_EQ(agreement_by_chance(Row{1, 1, 1}), 1.0);
}

}  // namespace
}  // namespace fovea
