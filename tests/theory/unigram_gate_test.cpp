#include "fovea/theory/unigram_gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/base/random.h"
#include "fovea/theory/toy_gate.h"

namespace fovea {
namespace {

LabelledBags bags_of(int vocab, const std::vector<std::vector<int>>& sequences, const std::vector<int>& labels) {
  LabelledBags bags(vocab);
  for (std::size_t i = 0; i < sequences.size(); ++i) bags.add(sequences[i], labels[i]);
  return bags;
}

FlowState random_state(int vocab, bool bias = false) {
  RandomStream stream(3, "test");
  FlowState state(2 * static_cast<std::size_t>(vocab) + (bias ? 1 : 0));
  for (double& x : state) x = stream.normal();
  return state;
}

TEST(UnigramGate, AttentionAndLossOfASequence) {
  const LabelledBags bags = bags_of(3, {{2, 0, 2, 1}}, {1});
  const FlowState state = {1, -1, 2, 0.5, 0, -0.5};
  const double a = std::exp(0.5), b = 1, c = 2 * std::exp(-0.5), sum = a + b + c;
  const auto weights = unigram_attention(bags, 0, state);
  ASSERT_EQ(weights.size(), 3u);
  EXPECT_NEAR(weights[0], a / sum, 1e-15);
  EXPECT_NEAR(weights[1], b / sum, 1e-15);
  EXPECT_NEAR(weights[2], c / sum, 1e-15);
  EXPECT_NEAR(unigram_loss(bags, state), std::log1p(std::exp(-(a - b + 2 * c) / sum)), 1e-15);
}

void expect_slope_of_loss(FlowState state) {
  const LabelledBags bags = bags_of(5, {{0, 1, 2}, {3, 3, 1}, {4}, {0, 4, 4, 2, 0}}, {1, 0, 0, 1});
  FlowState slope(state.size()), slowed(state.size());
  unigram_slope(bags, state, slope);
  unigram_slope(bags, state, slowed, 0.25);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double at = state[i], h = 1e-5;
    state[i] = at + h;
    const double more = unigram_loss(bags, state);
    state[i] = at - h;
    const double less = unigram_loss(bags, state);
    state[i] = at;
    EXPECT_NEAR(slope[i], -(more - less) / (2 * h), 1e-9) << i;
    EXPECT_NEAR(slowed[i], slope[i] * (i < 5 || i == 10 ? 1 : 0.25), 1e-15) << i;
  }
}

TEST(UnigramGate, SlopeIsMinusTheGradientOfTheLoss) {
  expect_slope_of_loss(random_state(5));
  expect_slope_of_loss(random_state(5, true));
}

// The exponentials of two of the bags vanish beside that of token 4.
TEST(UnigramGate, SlopeOfBagsWhoseLogitsLieFarBelowTheLargest) {
  for (const double far : {500.0, 900.0}) {
    for (const bool bias : {false, true}) {
      FlowState state = random_state(5, bias);
      state[9] += far;
      expect_slope_of_loss(state);
    }
  }
}

// Of two classes one of which has no word of its own: without a bias its bags can be told only by words that stand in
// both, with one by the lack of the other's word.
TEST(UnigramGate, ABiasSaysTheClassThatHasNoWord) {
  const LabelledBags bags = bags_of(3, {{0, 1}, {1, 0}, {0, 2}, {1, 2}}, {0, 0, 1, 1});
  const double times[] = {200};
  const FlowState plain = unigram_flow(bags, FlowState(6, 0.0), times).front();
  const FlowState biased = unigram_flow(bags, FlowState(7, 0.0), times).front();
  EXPECT_LT(biased.back(), -0.5);
  EXPECT_LT(std::abs(biased[0]), 0.9 * std::abs(plain[0])) << "words of both classes have less to say";
  EXPECT_NEAR(unigram_score(bags, 0, biased), biased.back() + biased[0], 1e-12) << "both words of the bag say the same";
  EXPECT_LT(unigram_loss(bags, biased), unigram_loss(bags, plain));
}

// Two free logits move the odds of the key twice as fast as one, and the mean over two sequences is half their sum:
// with the logits at half rate and twice the time the two systems are one.
TEST(UnigramGate, OnTheTwoSequencesIsTheBoundedLogisticToyGate) {
  const LabelledBags bags = bags_of(2, {{0, 0}, {0, 1}}, {0, 1});
  constexpr ToyVariant variant{ToyVariant::Gate::bounded, ToyVariant::Loss::logistic};
  const ToyPoint start{0.4, -0.3, 0.2};
  const FlowState free_start = {0.4, -0.3, -0.1, 0.1};
  const double times[] = {0.5, 2, 10, 40}, double_times[] = {1, 4, 20, 80};
  const auto toy = toy_flow(variant, start, times);
  const auto free = unigram_flow(bags, free_start, double_times, 0.5);
  for (std::size_t i = 0; i < toy.size(); ++i) {
    EXPECT_NEAR(free[i][0], toy[i].beta0, 1e-8);
    EXPECT_NEAR(free[i][1], toy[i].beta1, 1e-8);
    EXPECT_NEAR(free[i][3] - free[i][2], toy[i].gate, 1e-8);
    EXPECT_NEAR(unigram_attention(bags, 1, free[i])[1], toy_attention(variant, toy[i]), 1e-8);
    EXPECT_NEAR(2 * unigram_loss(bags, free[i]), toy_loss(variant, toy[i]), 1e-8);
  }
  EXPECT_GT(toy_attention(variant, toy.back()), 0.9);
}

TEST(UnigramGate, DescentFollowsTheFlowWithOrderOne) {
  const LabelledBags bags = bags_of(4, {{0, 1, 2}, {3, 1, 0}, {2, 3}}, {1, 0, 0});
  const DescentOrder found = unigram_descent_order(bags, random_state(4), 2);
  EXPECT_NEAR(found.order, 1, 0.1);
  ASSERT_EQ(found.rates.size(), 7u);
  EXPECT_EQ(found.rates.back(), 1.0 / 1024);
  EXPECT_NEAR(std::log2(found.distances[5] / found.distances[6]), 1, 0.01);
  EXPECT_LT(found.distances.back(), 1e-2);
}

// The softmax does not see a shift, so the flow keeps the sum of the logits.
TEST(UnigramGate, FlowKeepsTheSumOfTheLogits) {
  const LabelledBags bags = bags_of(4, {{0, 1, 2}, {3, 1, 0}, {2, 3}}, {1, 0, 0});
  const FlowState start = random_state(4);
  const double times[] = {50};
  const FlowState end = unigram_flow(bags, start, times).front();
  EXPECT_NEAR(end[4] + end[5] + end[6] + end[7], start[4] + start[5] + start[6] + start[7], 1e-9);
}

TEST(UnigramGate, RefusesWhatIsNoBag) {
  LabelledBags bags(3);
  EXPECT_THROW(bags.add(std::vector<int>{}, 0), Error);
  EXPECT_THROW(bags.add(std::vector<int>{0, 3}, 0), Error);
  EXPECT_THROW(bags.add(std::vector<int>{-1}, 0), Error);
  EXPECT_THROW(bags.add(std::vector<int>{0}, 2), Error);
  EXPECT_EQ(bags.size(), 0u);
}

}  // namespace
}  // namespace fovea
