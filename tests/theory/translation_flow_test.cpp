#include "fovea/theory/translation_flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fovea/base/random.h"

namespace fovea {
namespace {

TranslationField random_field() {
  RandomStream stream(2, "test");
  std::vector<double> given(3 * 4), share{0.5, 0.2, 0.3};
  for (double& q : given) q = stream.uniform();
  given[5] = 1;
  return {given, share, 4};
}

FlowState random_state(std::size_t size) {
  RandomStream stream(3, "test");
  FlowState state(size);
  for (double& x : state) x = stream.normal();
  return state;
}

// Copying `length` of `vocab` distinct words.
TranslationField copy_field(int vocab, int length) {
  const auto v = static_cast<std::size_t>(vocab);
  std::vector<double> given(v * v, (length - 1.0) / (vocab - 1.0)), share(v, 1.0 / vocab);
  for (std::size_t o = 0; o < v; ++o) given[o * v + o] = 1;
  return {given, share, v};
}

TEST(TranslationFlow, SlopeIsMinusTheGradientOfTheLoss) {
  const TranslationField field = random_field();
  FlowState state = random_state(24), change(24);
  EXPECT_NEAR(field.slope(state, change), field.loss(state), 1e-13);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double x = state[i], h = 1e-5;
    state[i] = x + h;
    const double more = field.loss(state);
    state[i] = x - h;
    const double less = field.loss(state);
    state[i] = x;
    EXPECT_NEAR(change[i], -(more - less) / (2 * h), 1e-9) << i;
  }
}

// A diagonal table on every subset in turn, averaged by hand: the mean-field loss is exact there.
TEST(TranslationFlow, LossOfADiagonalTableOnSubsetsIsExact) {
  constexpr int vocab = 5, length = 3;
  const TranslationField field = copy_field(vocab, length);
  FlowState state = field.start();
  const double w = 1.7, a = 0.6;
  for (std::size_t o = 0; o < vocab; ++o) {
    state[o * vocab + o] = w;
    state[vocab * vocab + o * vocab + o] = a;
  }
  double exact = 0;
  int targets = 0;
  for (int set = 0; set < 1 << vocab; ++set) {
    if (__builtin_popcount(static_cast<unsigned>(set)) != length) continue;
    for (int o = 0; o < vocab; ++o) {
      if (!(set >> o & 1)) continue;
      const double on = std::exp(a) / (std::exp(a) + length - 1), off = (1 - on) / (length - 1);
      double sum = 0;
      for (int k = 0; k < vocab; ++k) sum += set >> k & 1 ? std::exp(w * (k == o ? on : off)) : 1;
      exact += std::log(sum) - w * on;
      ++targets;
    }
  }
  EXPECT_NEAR(field.loss(state), exact / targets, 1e-12);
}

// Softmaxes do not see a shift: the flow keeps, of each input word, the sum of its table, and of each output the sum of
// its attention logits.
TEST(TranslationFlow, KeepsTheSumsThatTheSoftmaxesDoNotSee) {
  const TranslationField field = random_field();
  const FlowState start = random_state(24);
  const double times[] = {5};
  const FlowField flow = [&](const FlowState& state, FlowState& change) { field.slope(state, change); };
  const FlowState end = follow_flow(flow, start, times, {.tolerance = 1e-12, .most_steps = 100000}).front();
  EXPECT_LT(field.loss(end), field.loss(start));
  for (std::size_t o = 0; o < 3; ++o) {
    double before = 0, after = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      before += start[12 + o * 4 + i];
      after += end[12 + o * 4 + i];
    }
    EXPECT_NEAR(before, after, 1e-9) << o;
  }
}

TEST(TranslationFlow, PermutationsStandStillFromTheStart) {
  const TranslationField field = copy_field(6, 6);
  FlowState change(field.start().size());
  field.slope(field.start(), change);
  for (const double x : change) EXPECT_NEAR(x, 0, 1e-16);
}

// At the start the slope of W_oi is (C_io / mean count of an output) / length.
TEST(TranslationFlow, StartsAlongTheCooccurrence) {
  constexpr int vocab = 8, length = 3;
  const TranslationField field = copy_field(vocab, length);
  FlowState change(field.start().size());
  field.slope(field.start(), change);
  const double p = length / 8.0, together = p * (length - 1.0) / (vocab - 1.0);
  for (std::size_t o = 0; o < vocab; ++o)
    for (std::size_t i = 0; i < vocab; ++i) {
      const double covariance = (i == o ? p : together) - p * p;
      EXPECT_NEAR(change[o * vocab + i], covariance / length / length, 1e-15);
    }
  for (std::size_t k = vocab * vocab; k < change.size(); ++k) EXPECT_NEAR(change[k], 0, 1e-16);
}

// The same where outputs differ in how often they are said: without the bias b_o = log P(o) each would also feel
// (P(o) - 1/V) E[count_i] / L, which is no co-occurrence. Bags are two of four words, drawn with unequal chances.
TEST(TranslationFlow, StartsAlongTheCooccurrenceOfUnequalWordsToo) {
  constexpr std::size_t vocab = 4, length = 2;
  const double chance[vocab][vocab] = {{0, 0.4, 0.2, 0.1}, {0, 0, 0.15, 0.1}, {0, 0, 0, 0.05}, {0, 0, 0, 0}};
  std::vector<double> count(vocab), both(vocab * vocab);  // E[count_i], E[count_i count_o]
  for (std::size_t i = 0; i < vocab; ++i)
    for (std::size_t o = i + 1; o < vocab; ++o) {
      both[i * vocab + o] = both[o * vocab + i] = chance[i][o];
      count[i] += chance[i][o];
      count[o] += chance[i][o];
    }
  std::vector<double> given(vocab * vocab), share(vocab);
  for (std::size_t o = 0; o < vocab; ++o) {
    both[o * vocab + o] = count[o];
    share[o] = count[o] / length;
    for (std::size_t i = 0; i < vocab; ++i) given[o * vocab + i] = both[o * vocab + i] / count[o];
  }
  const TranslationField field(given, share, vocab);
  FlowState change(field.start().size());
  field.slope(field.start(), change);
  for (std::size_t o = 0; o < vocab; ++o)
    for (std::size_t i = 0; i < vocab; ++i)
      EXPECT_NEAR(change[o * vocab + i], (both[o * vocab + i] - count[o] * count[i]) / length / length, 1e-15);
}

// The cross-entropy of a table with a bias under uniform attention, over the same bags: each pair of different words i,
// o in the input, and both said once. Its slope at W = 0, by central differences, is C_io / (T L) and (P(o) -
// softmax(b)_o) E[count_i] / L: the second is gone with b = log P(o), and not with b = 0.
TEST(TranslationFlow, CooccurrenceAloneIsFeltWithABiasOnly) {
  constexpr std::size_t vocab = 4;
  constexpr double length = 2, h = 1e-4;
  const double chance[vocab][vocab] = {{0, 0.4, 0.2, 0.1}, {0, 0, 0.15, 0.1}, {0, 0, 0, 0.05}, {0, 0, 0, 0}};
  double count[vocab] = {}, both[vocab][vocab] = {};
  for (std::size_t i = 0; i < vocab; ++i)
    for (std::size_t o = i + 1; o < vocab; ++o) {
      both[i][o] = both[o][i] = chance[i][o];
      count[i] += chance[i][o];
      count[o] += chance[i][o];
    }
  for (std::size_t o = 0; o < vocab; ++o) both[o][o] = count[o];
  const auto loss = [&](const double(&bias)[vocab], std::size_t changed_o, std::size_t changed_i, double w) {
    double sum = 0;
    for (std::size_t i = 0; i < vocab; ++i)
      for (std::size_t j = i + 1; j < vocab; ++j) {
        double z[vocab], norm = 0;
        for (std::size_t o = 0; o < vocab; ++o) {
          z[o] = bias[o] + (o == changed_o && (i == changed_i || j == changed_i) ? w / length : 0);
          norm += std::exp(z[o]);
        }
        sum += chance[i][j] * (std::log(norm) - (z[i] + z[j]) / 2);
      }
    return sum;
  };
  double told[vocab] = {}, largest_excess = 0;
  for (std::size_t o = 0; o < vocab; ++o) told[o] = std::log(count[o] / length);
  for (std::size_t o = 0; o < vocab; ++o)
    for (std::size_t i = 0; i < vocab; ++i) {
      const double covariance = (both[o][i] - count[o] * count[i]) / (length * length);
      const double excess = (count[o] / length - 1.0 / vocab) * count[i] / length;
      EXPECT_NEAR((loss(told, o, i, -h) - loss(told, o, i, h)) / (2 * h), covariance, 1e-9);
      EXPECT_NEAR((loss({}, o, i, -h) - loss({}, o, i, h)) / (2 * h), covariance + excess, 1e-9);
      largest_excess = std::max(largest_excess, std::abs(excess));
    }
  EXPECT_GT(largest_excess, 0.03);
}

// Attention feels no pull until something is known: it rises with the second power of time, knowledge with the first.
TEST(TranslationFlow, KnowledgeStartsBeforeAttention) {
  const TranslationField field = copy_field(12, 6);
  const FlowField flow = [&](const FlowState& state, FlowState& change) { field.slope(state, change); };
  const double times[] = {0.01, 0.02};
  const auto states = follow_flow(flow, field.start(), times);
  EXPECT_NEAR(states[1][0] / states[0][0], 2, 1e-2);
  EXPECT_NEAR(states[1][144] / states[0][144], 4, 1e-2);
  std::vector<int> partners(12);
  std::iota(partners.begin(), partners.end(), 0);
  const Course course = translation_course(field, partners);
  EXPECT_LT(course.knowledge_half, Course::never);
  EXPECT_LT(course.attention_half, Course::never);
  EXPECT_NEAR(course.knowledge.front(), 1.0 / 12, 1e-12);
  EXPECT_NEAR(course.attention.front(), 1.0 / 6, 1e-12);
}

// Dormand-Prince 5(4): the error of a step of tolerance t is of order t, and so is that of the flow at a fixed time, to
// within the stepper's freedom in choosing steps.
TEST(TranslationFlow, FallsInErrorWithTheToleranceOfTheStepper) {
  const TranslationField field = random_field();
  const FlowState start = random_state(24);
  const double times[] = {3};
  const FlowField flow = [&](const FlowState& state, FlowState& change) { field.slope(state, change); };
  const auto end = [&](double tolerance) {
    return follow_flow(flow, start, times, {.tolerance = tolerance, .most_steps = 1'000'000}).front();
  };
  const FlowState truth = end(1e-14);
  const auto distance = [&](double tolerance) {
    const FlowState state = end(tolerance);
    double sum = 0;
    for (std::size_t i = 0; i < state.size(); ++i) sum = std::hypot(sum, state[i] - truth[i]);
    return sum;
  };
  const double order = std::log10(distance(1e-5) / distance(1e-10)) / 5;
  EXPECT_GT(order, 0.75);
  EXPECT_LT(order, 1.25);
}

}  // namespace
}  // namespace fovea
