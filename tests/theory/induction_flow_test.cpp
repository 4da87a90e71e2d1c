#include "fovea/theory/induction_flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

constexpr double never_induces = std::numeric_limits<double>::infinity();
constexpr InductionClamps nothing_given{};
constexpr InductionClamps previous_given{.previous = true};
constexpr InductionClamps match_given{.previous = true, .match = true};

// Central differences of the loss, at several points and with each part given.
void expect_slope_is_gradient(const InductionContext& context) {
  const double h = 1e-5;
  for (const InductionClamps& clamps : {nothing_given, previous_given, match_given}) {
    for (const InductionPoint& at : {InductionPoint{}, InductionPoint{0.4, 0.7, 0.2}, InductionPoint{6, 9, 3},
                                     InductionPoint{-1.5, -2, 1}, InductionPoint{3, 5, -4}}) {
      const auto change = [&](double w, double b, double a) {
        return (induction_loss(context, {at.copy + w, at.match + b, at.previous + a}, clamps) -
                induction_loss(context, {at.copy - w, at.match - b, at.previous - a}, clamps)) /
               (2 * h);
      };
      const InductionPoint slope = induction_slope(context, at, clamps);
      EXPECT_NEAR(slope.copy, -change(h, 0, 0), 1e-9);
      EXPECT_NEAR(slope.match, -change(0, h, 0), 1e-9);
      EXPECT_NEAR(slope.previous, -change(0, 0, h), 1e-9);
    }
  }
}

TEST(InductionFlow, SlopeIsMinusTheGradientOfTheLoss) {
  for (const InductionContext context : {InductionContext{2, 2}, {8, 32}, {32, 33}, {49, 49}})
    expect_slope_is_gradient(context);
}

TEST(InductionFlow, StartsByTheBagOfTheContextAlone) {
  for (const InductionContext context : {InductionContext{8, 32}, {32, 33}, {128, 512}}) {
    const InductionPoint slope = induction_slope(context, {});
    EXPECT_NEAR(slope.copy, 1.0 / context.positions - 1.0 / context.vocabulary, 1e-15);
    EXPECT_EQ(slope.match, 0);
    EXPECT_EQ(slope.previous, 0);
    EXPECT_NEAR(induction_loss(context, {}), std::log(context.vocabulary), 1e-14);
  }
}

TEST(InductionFlow, RestsWhereAllContextsHoldTheSameTokens) {
  for (const int size : {2, 16, 49, 128}) {
    const InductionPoint slope = induction_slope({static_cast<double>(size), size}, {});
    EXPECT_EQ(slope.copy, 0);
    EXPECT_EQ(slope.match, 0);
    EXPECT_EQ(slope.previous, 0);
    EXPECT_EQ(induction_time({static_cast<double>(size), size}), never_induces);
  }
  EXPECT_LT(induction_time({16, 16}, {.start_copy = 0.5}), 1e5) << "it is a saddle: what is known leads away from it";
}

TEST(InductionFlow, LargeValuesStayFinite) {
  const InductionContext context{64, 256};
  EXPECT_EQ(induction_loss(context, {2000, 3000, 1000}), 0);
  EXPECT_NEAR(induction_loss(context, {2000, -3000, 1000}), 2000.0 / 63 + std::log(63), 1e-9);
  EXPECT_NEAR(induction_loss(context, {-2000, 3000, 1000}), 2000 + std::log(255), 1e-9);
  for (const double w : {-2000.0, 2000.0})
    for (const double b : {-3000.0, 3000.0})
      for (const double a : {-1000.0, 1000.0}) {
        const InductionPoint slope = induction_slope(context, {w, b, a});
        EXPECT_TRUE(std::isfinite(slope.copy) && std::isfinite(slope.match) && std::isfinite(slope.previous));
      }
}

TEST(InductionFlow, TimesGrowWithTheContext) {
  const int positions[] = {8, 16, 32, 64, 128};
  const double times[] = {45.5, 122, 338, 946, 2663};
  double mean_x = 0, mean_y = 0, over = 0, under = 0;
  double found[5];
  for (int n = 0; n < 5; ++n) {
    found[n] = std::log(induction_time({static_cast<double>(positions[n]), 4 * positions[n]}));
    EXPECT_NEAR(std::exp(found[n]), times[n], 0.005 * times[n]) << positions[n];
    mean_x += std::log(positions[n]) / 5;
    mean_y += found[n] / 5;
  }
  for (int n = 0; n < 5; ++n) {
    over += (std::log(positions[n]) - mean_x) * (found[n] - mean_y);
    under += (std::log(positions[n]) - mean_x) * (std::log(positions[n]) - mean_x);
  }
  EXPECT_NEAR(over / under, 1.47, 0.01);
}

TEST(InductionFlow, TimesFallAsContextsBeginToDiffer) {
  const int vocabulary[] = {33, 40, 64, 128, 512};
  const double times[] = {1505, 647, 415, 338, 300};
  for (int n = 0; n < 5; ++n)
    EXPECT_NEAR(induction_time({32, vocabulary[n]}), times[n], 0.005 * times[n]) << vocabulary[n];
}

TEST(InductionFlow, WhatIsGivenNeedNotBeWaitedFor) {
  const InductionContext context{32, 128};
  EXPECT_NEAR(induction_time(context, previous_given), 49.8, 0.1);
  EXPECT_NEAR(induction_time(context, {.start_copy = 6}), 168, 1);
  EXPECT_NEAR(induction_time(context, match_given), 2.6, 0.05);
}

TEST(InductionFlow, IsDescentInTheLimitOfSmallSteps) {
  const InductionContext context{8, 32};
  const double times[] = {10, 40, 60};
  const std::vector<InductionPoint> flow = induction_flow(context, times);
  InductionPoint at;
  const double rate = 1.0 / 512;
  int step = 0;
  for (std::size_t n = 0; n < flow.size(); ++n) {
    for (; step < times[n] / rate; ++step) {
      const InductionPoint slope = induction_slope(context, at);
      at = {at.copy + rate * slope.copy, at.match + rate * slope.match, at.previous + rate * slope.previous};
    }
    EXPECT_NEAR(at.copy, flow[n].copy, 0.01);
    EXPECT_NEAR(at.match, flow[n].match, 0.01);
    EXPECT_NEAR(at.previous, flow[n].previous, 0.01);
  }
}

TEST(InductionFlow, OwnMemoriesTurnTheDependenceOnTheVocabularyAround) {
  const auto time = [](double positions, int vocabulary) {
    return induction_time({positions, vocabulary, InductionContext::Memory::own});
  };
  EXPECT_NEAR(time(8, 32), 801, 4);  // by a coarse integrator of another program
  EXPECT_NEAR(time(16, 32), 2346, 5);
  EXPECT_LT(time(16, 32), time(16, 64));
  EXPECT_LT(time(16, 64), time(16, 128));
  EXPECT_GT(time(24, 25), time(24, 32)) << "near V = T the bags of contexts are too much alike";
  InductionContext of_few{16, 64, InductionContext::Memory::own};
  of_few.asking = 64;
  EXPECT_EQ(induction_time(of_few), time(16, 64));
  of_few.asking = 4;
  EXPECT_LT(induction_time(of_few), time(16, 64)) << "four matches are learned sooner than 64";
  EXPECT_GT(induction_time(of_few), time(16, 64) / 16) << "but answers are as many";
  EXPECT_TRUE(std::isinf(time(24, 24)));
}

InductionContext causal_context(double positions, int vocabulary) {
  InductionContext context{positions, vocabulary};
  context.first_layer = InductionContext::FirstLayer::causal;
  context.level = std::log(positions) / 2;
  return context;
}

TEST(CausalInduction, SlopeIsMinusTheGradientOfTheLoss) {
  for (const InductionContext& context :
       {causal_context(2, 2), causal_context(3, 9), causal_context(8, 32), causal_context(32, 33)})
    expect_slope_is_gradient(context);
}

// The loss position by position, as the header has it.
double causal_loss_by_places(int T, int V, const InductionPoint& at) {
  double mean = 0;
  const double e = std::exp(at.previous);
  for (int j = 0; j + 1 < T; ++j) {
    std::vector<double> alpha;
    double sum = 0, z = V - T;
    for (int t = 0; t < T; ++t) {
      double seen = 0;
      if (t == j) seen = j == 0 ? 1 : 1 / (e + j);
      if (t == j + 1) seen = e / (e + t);
      if (t > j + 1) seen = 1 / (e + t);
      alpha.push_back(std::exp(at.match * seen));
      sum += alpha.back();
    }
    for (double& a : alpha) z += std::exp(at.copy * (a /= sum));
    mean += (std::log(z) - at.copy * alpha[static_cast<std::size_t>(j) + 1]) / (T - 1);
  }
  return mean;
}

TEST(CausalInduction, LossIsTheMeanOverWhereTheCopyStands) {
  for (const InductionPoint& at : {InductionPoint{}, InductionPoint{2, 3, 1}, InductionPoint{-1, 4, -2}})
    for (const int T : {2, 3, 7}) {
      EXPECT_NEAR(induction_loss(causal_context(T, 11), at), causal_loss_by_places(T, 11, at), 1e-12) << T;
    }
}

TEST(CausalInduction, LargeValuesStayFinite) {
  for (const double w : {-2000.0, 2000.0})
    for (const double b : {-3000.0, 3000.0})
      for (const double a : {-1000.0, 1000.0}) {
        const InductionPoint slope = induction_slope(causal_context(16, 64), {w, b, a});
        EXPECT_TRUE(std::isfinite(slope.copy) && std::isfinite(slope.match) && std::isfinite(slope.previous));
        EXPECT_TRUE(std::isfinite(induction_loss(causal_context(16, 64), {w, b, a})));
      }
}

// By another program's coarse integrator of central differences.
TEST(CausalInduction, TimesAreThoseOfAnotherIntegrator) {
  const int positions[] = {8, 16};
  const double free[] = {39.093, 86.320}, frozen[] = {13.675, 32.420}, given[] = {15.985, 26.966};
  for (int n = 0; n < 2; ++n) {
    InductionContext context = causal_context(positions[n], 96);
    EXPECT_NEAR(induction_time(context), free[n], 0.001 * free[n]) << positions[n];
    EXPECT_NEAR(induction_time(context, previous_given), given[n], 0.001 * given[n]) << positions[n];
    context.level = induction_halfway(context, 6);
    EXPECT_NEAR(induction_time(context, {.start_copy = 6, .copy = true}), frozen[n], 0.001 * frozen[n]) << positions[n];
  }
}

TEST(CausalInduction, ALayerThatSeesLessIsSooner) {
  InductionContext everywhere = causal_context(32, 96);
  everywhere.first_layer = InductionContext::FirstLayer::everywhere;
  EXPECT_LT(1.3 * induction_time(causal_context(32, 96)), induction_time(everywhere));
  EXPECT_NEAR(induction_time(causal_context(32, 96), previous_given), induction_time(everywhere, previous_given), 1e-6)
      << "the layers differ in the previous token alone";
}

// Along signs all three rise at one rate: how long that takes grows with log T at most.
TEST(CausalInduction, SignsHardlySeeTheLength) {
  const double short_time = induction_sign_time(causal_context(16, 256)),
               long_time = induction_sign_time(causal_context(64, 256));
  EXPECT_NEAR(std::log(long_time / short_time) / std::log(4), 0.045, 0.02);
  EXPECT_TRUE(std::isinf(induction_sign_time(causal_context(16, 256), {}, 1)));
}

TEST(InductionFlow, AFrozenMemoryStaysWhereItStarts) {
  const double times[] = {20};
  const InductionPoint at = induction_flow({16, 64}, times, {.start_copy = 6, .copy = true}).front();
  EXPECT_EQ(at.copy, 6);
  EXPECT_GT(at.match, 0.1);
  const InductionContext context{16, 64};
  const double level = induction_halfway(context, 6);
  EXPECT_GT(level, induction_loss(context, {6, 1e3, 1e3}));
  EXPECT_LT(level, induction_loss(context, {6, 0, 0}));
}

TEST(InductionFlow, RefusesContextsThatCannotBe) {
  EXPECT_THROW(induction_time(causal_context(8.5, 16)), Error);
  EXPECT_THROW(induction_time({1, 8}), Error);
  EXPECT_THROW(induction_time({8, 7}), Error);
}

}  // namespace
}  // namespace fovea
