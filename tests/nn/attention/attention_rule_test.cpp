#include "fovea/nn/attention/attention_rule.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/nn/attention/test_shift.h"

namespace fovea {
namespace {

using fovea::testing::test_shift;

TEST(AttentionRules, ChangeScoresOneAfterTheOther) {
  const ScopedRule all[] = {{1, 2, {.factor = 0.5}},
                            {0, 2, {.shift = &test_shift}},
                            {1, 1, {.factor = 7, .shift = &test_shift}},
                            {1, 0, {.factor = 3}},
                            {1, 2, {.factor = 2, .shift = &test_shift}}};
  const AttentionRules rules{all};
  const auto changed = [&](int layer, int head) {
    std::vector<double> scores{5, -4, 3};
    change_scores<double>(rules.of(layer, head), 1, 2, scores);
    return scores;
  };
  const auto shift = [](int layer, int head, Index j) { return test_shift.at(layer, head, 1, 2, j); };
  const std::vector<double> first = changed(1, 1), second = changed(1, 2), third = changed(2, 2);
  for (Index j = 0; j < 3; ++j) {
    const auto n = static_cast<std::size_t>(j);
    const double score = std::vector<double>{5, -4, 3}[n];
    EXPECT_NEAR(first[n], 3 * (7 * score + shift(1, 1, j)), 1e-12);
    EXPECT_NEAR(second[n], 2 * 3 * (0.5 * score + shift(1, 2, j)) + shift(1, 2, j), 1e-12);
    EXPECT_NEAR(third[n], score + shift(2, 2, j), 1e-12);
  }
  EXPECT_EQ(changed(2, 1), (std::vector<double>{5, -4, 3}));
  EXPECT_FALSE(rules.of(2, 1).changes_scores());
  EXPECT_TRUE(rules.of(2, 2).changes_scores());
}

TEST(AttentionRules, ChangeScoresGivenAsMultiplesOfAUnit) {
  for (const double factor : {0.0, -2.0}) {
    const ScopedRule rule{1, 1, {.factor = factor, .shift = &test_shift}};
    std::vector<double> scores{5, -4}, halves{10, -8};
    const AttentionRule joined = AttentionRules{{&rule, 1}}.of(1, 1);
    change_scores<double>(joined, 0, 1, scores);
    change_scores<double>(joined, 0, 1, halves, 0.5);
    for (const std::size_t j : {0u, 1u}) EXPECT_NEAR(scores[j], halves[j] / 2, 1e-12);
    EXPECT_NEAR(scores[1], -4 * factor + test_shift.at(1, 1, 0, 1, 1), 1e-12);
  }
}

// Of a row with `present` positions. The columns behind them hold 9 before.
std::vector<double> pattern_row(AttentionRule::Pattern pattern, Index i, Index present, std::vector<int> right = {}) {
  std::vector<double> weights(4, 9);
  write_pattern<double>(pattern, i, present, right, weights);
  return weights;
}

TEST(AttentionPatterns, GiveWeightToPositionsThatArePresentAlone) {
  using Pattern = AttentionRule::Pattern;
  using Row = std::vector<double>;
  EXPECT_EQ(pattern_row(Pattern::uniform, 2, 2), (Row{0.5, 0.5, 0, 0}));
  EXPECT_EQ(pattern_row(Pattern::previous, 2, 3), (Row{0, 1, 0, 0}));
  EXPECT_EQ(pattern_row(Pattern::previous, 3, 2), (Row{0, 0, 0, 0})) << "the position before is not there";
  EXPECT_EQ(pattern_row(Pattern::first, 3, 1), (Row{1, 0, 0, 0}));
  EXPECT_EQ(pattern_row(Pattern::truth, 3, 3, {0, 2}), (Row{0.5, 0, 0.5, 0}));
  EXPECT_EQ(pattern_row(Pattern::truth, 2, 2, {0, 2, 3}), (Row{1, 0, 0, 0})) << "of three, one is there";
  EXPECT_EQ(pattern_row(Pattern::truth, 2, 2, {3}), (Row{0, 0, 0, 0}));
  for (const auto& [word, pattern] : attention_patterns)
    EXPECT_EQ(pattern_row(pattern, 0, 0, {0}), (Row{0, 0, 0, 0})) << word;
}

}  // namespace
}  // namespace fovea
