// Scores, the masked softmax, the weighted sum, and weights held from outside.
#include "fovea/nn/attention/attention.h"

#include "fovea/nn/attention/score.h"
#include "tests/nn/attention/test_shift.h"
#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using Pattern = AttentionRule::Pattern;

struct Case {
  ScoreKind kind;
  Index batch, rows, most, width, query, hidden;
  bool by_time;
};

class AttentionGradient : public ::testing::TestWithParam<Case> {};

// The whole path: scores, softmax over what is present, one example held, weighted sum.
TEST_P(AttentionGradient, IsWhatCentralDifferencesSay) {
  const Case c = GetParam();
  ParameterSet<double> parameters;
  auto score = Score<double>::declare(parameters, "score", c.kind, c.width, c.query, c.hidden, c.most);
  parameters.finish();
  parameters.initialise(1);
  for (const auto& p : parameters.all()) {
    EXPECT_EQ(p.group, Group::attention);
    if (c.kind == ScoreKind::free) std::ranges::copy(random_values(4, p.count()), p.value);
  }
  std::vector<double> h = random_values(1, c.batch * c.most * c.width);
  std::vector<double> q = random_values(2, c.batch * c.rows * c.query);
  const std::vector<double> dcontexts = random_values(3, c.batch * c.rows * c.width);
  std::vector<int> lengths;
  RandomStream stream(9, "lengths");
  for (Index b = 0; b < c.batch; ++b)
    lengths.push_back(static_cast<int>(1 + stream.integer(static_cast<std::uint64_t>(c.most))));
  std::vector<int> alignment(static_cast<std::size_t>(c.batch * c.rows), -1);
  alignment.back() = 0;

  const auto sequences = [&](auto* data, Index length, Index width) {
    using E = std::remove_pointer_t<decltype(data)>;
    return c.by_time ? time_major(Cube<E>(data, length, c.batch, width))
                     : batch_major(Cube<E>(data, c.batch, length, width));
  };
  const auto queries = [&](auto* data) {
    using E = std::remove_pointer_t<decltype(data)>;
    return asks(c.kind) ? sequences(data, c.rows, c.query) : Sequences<E>();
  };
  Bench bench(2);
  const Sequences<const double> hs = sequences(static_cast<const double*>(h.data()), c.most, c.width);
  const Sequences<const double> qs = queries(static_cast<const double*>(q.data()));
  Score<double>::Trace trace;
  Attention<double> attention;
  const auto loss = [&] {
    bench.arena.reset();
    trace = score.forward(bench.compute, hs, qs);
    attention = Attention<double>::over(bench.compute, trace.scores, lengths, {{Pattern::truth}}, {alignment, 1});
    attention.weigh(bench.team);
    const Cube<double> contexts = bench.compute.array<double>(c.batch, c.rows, c.width);
    attention.sum(bench.team, hs, sequences(contexts.data(), c.rows, c.width));
    return weighted_sum(dcontexts, contexts.flat());
  };
  loss();
  std::vector<double> dh(h.size()), dq(q.size());
  const Cube<double> dscores = attention.backward(bench.compute, hs, sequences(dcontexts.data(), c.rows, c.width),
                                                  sequences(dh.data(), c.most, c.width));
  score.backward(bench.compute, trace, dscores, sequences(dh.data(), c.most, c.width), queries(dq.data()));
  expect_gradient("h", h, dh, loss);
  if (asks(c.kind)) expect_gradient("q", q, dq, loss);
  expect_parameter_gradients(parameters, loss);
}

INSTANTIATE_TEST_SUITE_P(
    Scores, AttentionGradient,
    ::testing::Values(Case{ScoreKind::free, 3, 1, 4, 5, 1, 1, false}, Case{ScoreKind::linear, 4, 1, 6, 5, 1, 1, true},
                      Case{ScoreKind::linear, 4, 1, 6, 5, 1, 1, false}, Case{ScoreKind::mlp, 4, 1, 6, 5, 1, 9, true},
                      Case{ScoreKind::mlp, 2, 1, 3, 7, 1, 4, false}, Case{ScoreKind::dot, 3, 1, 5, 4, 4, 1, false},
                      Case{ScoreKind::dot, 3, 6, 5, 4, 4, 1, true}, Case{ScoreKind::general, 3, 1, 5, 4, 3, 1, false},
                      Case{ScoreKind::general, 3, 4, 5, 4, 6, 1, true},
                      Case{ScoreKind::additive, 3, 1, 5, 4, 3, 7, false},
                      Case{ScoreKind::additive, 2, 4, 3, 4, 6, 5, true}));

template <class T>
Cube<T> weighed(Bench& bench, const std::vector<T>& scores, Index batch, Index rows, Index positions,
                std::span<const int> lengths, const AttentionRule& rule = {}) {
  const auto attention = Attention<T>::make(bench.compute, batch, rows, positions, lengths, rule);
  std::ranges::copy(scores, attention.weights.data());
  attention.weigh(bench.team);
  return attention.weights;
}

TEST(Attention, RowsSumToOneAndPaddingGetsNothing) {
  Bench bench(2);
  const std::vector<float> scores = random_values<float>(1, 7 * 3 * 50, 30.0);
  const std::vector<int> lengths = {50, 1, 0, 17, 49, 33, 2};
  const Cube<float> weights = weighed(bench, scores, 7, 3, 50, lengths);
  for (Index b = 0; b < 7; ++b)
    for (Index t = 0; t < 3; ++t) {
      double sum = 0;
      for (Index s = 0; s < 50; ++s) {
        ASSERT_GE(weights(b, t, s), 0.0f);
        const bool padding = s >= lengths[static_cast<std::size_t>(b)];
        ASSERT_TRUE(!padding || weights(b, t, s) == 0.0f);
        sum += static_cast<double>(weights(b, t, s));
      }
      EXPECT_NEAR(sum, lengths[static_cast<std::size_t>(b)] > 0 ? 1.0 : 0.0, 1e-6);
    }
}

TEST(Attention, WhatStandsOnPaddingDoesNotMatter) {
  Bench bench;
  std::vector<float> scores = random_values<float>(1, 20);
  const std::vector<int> lengths = {3, 7};
  const Cube<float> first = weighed(bench, scores, 2, 1, 10, lengths);
  scores[3] = scores[19] = std::numeric_limits<float>::quiet_NaN();
  const Cube<float> second = weighed(bench, scores, 2, 1, 10, lengths);
  EXPECT_EQ(copy_of(first), copy_of(second));
}

TEST(Attention, PaddingPassesNothingBack) {
  Bench bench;
  const std::vector<int> lengths = {3, 7};
  const auto attention = Attention<double>::make(bench.compute, 2, 1, 10, lengths, {});
  std::ranges::copy(random_values(1, 20), attention.weights.data());
  attention.weigh(bench.team);
  const Cube<double> d = bench.compute.array<double>(2, 1, 10);
  std::ranges::copy(random_values(2, 20), d.data());
  attention.weigh_backward(bench.team, d);
  for (Index b = 0; b < 2; ++b)
    for (Index s = 0; s < 10; ++s) EXPECT_EQ(d(b, 0, s) != 0.0, s < lengths[static_cast<std::size_t>(b)]) << b << s;
}

TEST(Attention, AConstantAddedToAllScoresChangesNothing) {
  Bench bench;
  std::vector<double> scores = random_values(1, 40);
  const Cube<double> first = weighed(bench, scores, 4, 1, 10, {});
  for (double& s : scores) s += 5000;
  const Cube<double> second = weighed(bench, scores, 4, 1, 10, {});
  for (Index i = 0; i < 40; ++i) EXPECT_NEAR(first.data()[i], second.data()[i], 1e-12);
}

TEST(Attention, HugeScoresStayFinite) {
  Bench bench;
  const std::vector<float> scores = {1e4f, -1e4f, 1e4f, -1e4f, -1e4f, -1e4f};
  const Cube<float> weights = weighed(bench, scores, 2, 1, 3, {});
  EXPECT_EQ(weights(0, 0, 0), 0.5f);
  EXPECT_EQ(weights(0, 0, 1), 0.0f);
  EXPECT_NEAR(weights(1, 0, 1), 1.0 / 3, 1e-6);
}

TEST(Attention, HeldUniformIsExactlyUniform) {
  Bench bench;
  const std::vector<int> lengths = {7, 3, 0};
  const Cube<double> weights = weighed(bench, random_values(1, 42), 3, 2, 7, lengths, {{Pattern::uniform}});
  for (Index b = 0; b < 3; ++b)
    for (Index t = 0; t < 2; ++t)
      for (Index s = 0; s < 7; ++s) {
        const int length = lengths[static_cast<std::size_t>(b)];
        EXPECT_EQ(weights(b, t, s), s < length ? 1.0 / length : 0.0);
      }
}

TEST(Attention, MarkedPositionsShareTheWeightAndOthersStayLearned) {
  Bench bench;
  const std::vector<double> scores = random_values(1, 16);
  const std::vector<int> marked = {-1, -1, -1, -1, 0, 2, 0, 2};
  const Cube<double> learned = weighed(bench, scores, 2, 2, 4, {});
  const auto attention = Attention<double>::make(bench.compute, 2, 2, 4, {}, {{Pattern::truth}}, {marked, 2});
  std::ranges::copy(scores, attention.weights.data());
  attention.weigh(bench.team);
  for (Index t = 0; t < 2; ++t) {
    EXPECT_TRUE(attention.follows(0, t));
    EXPECT_FALSE(attention.follows(1, t));
    for (Index s = 0; s < 4; ++s) {
      EXPECT_EQ(attention.weights(0, t, s), learned(0, t, s));
      EXPECT_EQ(attention.weights(1, t, s), s % 2 == 0 ? 0.5 : 0.0);
    }
  }
  // What reaches the scores: something where they are followed, and nothing where a row is held.
  const Cube<double> d = bench.compute.array<double>(2, 2, 4);
  std::ranges::copy(random_values(2, 16), d.data());
  attention.weigh_backward(bench.team, d);
  for (Index t = 0; t < 2; ++t)
    for (Index s = 0; s < 4; ++s) {
      EXPECT_NE(d(0, t, s), 0.0);
      EXPECT_EQ(d(1, t, s), 0.0);
    }
}

TEST(Attention, AlignedRowsAreHeldAndOthersFollowTheirScores) {
  Bench bench;
  const std::vector<int> alignment = {1, -1};
  const auto attention = Attention<double>::make(bench.compute, 1, 2, 3, {}, {{Pattern::truth}}, {alignment, 1});
  std::ranges::copy(random_values(1, 6), attention.weights.data());
  attention.weigh(bench.team);
  EXPECT_FALSE(attention.follows(0, 0));
  EXPECT_TRUE(attention.follows(0, 1));
  EXPECT_EQ(attention.weights(0, 0, 1), 1.0);
}

TEST(Attention, TheRuleAloneLeavesWeightsThatAreNotHeld) {
  Bench bench;
  const std::vector<double> given = random_values(1, 8);
  const std::vector<int> marked = {-1, 0};
  const Cube<double> weights = bench.compute.array<double>(2, 1, 4);
  std::ranges::copy(given, weights.data());
  Attention<double>::over(bench.compute, weights, {}, {{Pattern::truth}}, {marked, 1}).apply_rule(bench.team);
  EXPECT_EQ(copy_of(weights), (std::vector<double>{given[0], given[1], given[2], given[3], 1, 0, 0, 0}));
}

TEST(Attention, ARuleChangesScores) {
  Bench bench;
  const std::vector<double> scores = random_values(1, 12), d = random_values(2, 12);
  const std::vector<int> lengths = {3, 2};
  const ScopedRule rule{0, 0, {.factor = -2, .shift = &test_shift}};
  std::vector<double> changed;
  for (Index n = 0; n < 12; ++n)
    changed.push_back(-2 * scores[static_cast<std::size_t>(n)] + test_shift.at(1, 1, 5 + n / 6, n / 3 % 2, n % 3));
  const auto pass = [&](const std::vector<double>& from, const AttentionRule& by) {
    const auto attention = Attention<double>::make(bench.compute, 2, 2, 3, lengths, by);
    std::ranges::copy(from, attention.weights.data());
    attention.weigh(bench.team);
    const Cube<double> slopes = bench.compute.array<double>(2, 2, 3);
    std::ranges::copy(d, slopes.data());
    attention.weigh_backward(bench.team, slopes);
    return std::pair(copy_of(attention.weights), copy_of(slopes));
  };
  const auto [weights, slopes] = pass(scores, AttentionRules{{&rule, 1}, 5}.of(1, 1));
  const auto [plain_weights, plain_slopes] = pass(changed, {});
  for (std::size_t n = 0; n < weights.size(); ++n) {
    EXPECT_NEAR(weights[n], plain_weights[n], 1e-12);
    EXPECT_NEAR(slopes[n], -2 * plain_slopes[n], 1e-12);
  }
}

TEST(Attention, ARuleScalesWeightsOnRightPositionsAndAblatesAll) {
  Bench bench;
  const std::vector<double> scores = random_values(1, 8);
  const std::vector<int> right = {1, -1, 0, 3};
  const Cube<double> learned = weighed(bench, scores, 2, 1, 4, {});
  const auto scaled = Attention<double>::make(bench.compute, 2, 1, 4, {}, {{Pattern::learned, 3}}, {right, 2});
  std::ranges::copy(scores, scaled.weights.data());
  scaled.weigh(bench.team);
  for (Index s = 0; s < 4; ++s) {
    EXPECT_EQ(scaled.weights(0, 0, s), (s == 1 ? 3 : 1) * learned(0, 0, s));
    EXPECT_EQ(scaled.weights(1, 0, s), (s == 0 || s == 3 ? 3 : 1) * learned(1, 0, s));
  }
  const auto ablated = Attention<double>::make(bench.compute, 2, 1, 4, {}, {{.ablated = true}});
  ablated.weigh(bench.team);
  for (const double weight : ablated.weights.flat()) EXPECT_EQ(weight, 0);
  EXPECT_FALSE(ablated.by_score());
}

}  // namespace
}  // namespace fovea
