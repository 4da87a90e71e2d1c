#include "fovea/theory/streams/stream_prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/error/error.h"
#include "fovea/data/ladder.h"
#include "tests/data/tasks/task_help.h"
#include "tests/theory/streams/made_stream.h"

namespace fovea {
namespace {

// The answer is the token before, but for a share of cases in which it is drawn anew.
class NoisyCopy final : public MadeStream, public Ladder {
 public:
  static constexpr int tokens = 6;
  static constexpr double noise = 0.3;

  NoisyCopy()
      : MadeStream(tokens, 12, [](std::span<const int> x, std::size_t t, RandomStream& stream) {
          const int other = static_cast<int>(stream.integer(tokens));
          return t == 0 ? -1 : stream.uniform() < noise ? other : x[t - 1];
        }) {}
  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"nothing", "noisy", "sure"}; }
  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    for (int row = 0; row < batch.size; ++row)
      for (int t = 1; t < 12; ++t)
        for (int o = 0; o < tokens; ++o) {
          const bool right = batch.source.at(row, t - 1) == o;
          const double even = 1.0 / tokens;
          const double p = rung == 0 ? even : rung == 1 ? noise * even + (right ? 1 - noise : 0) : right;
          probabilities(row * 12 + t, o) = static_cast<float>(p);
        }
  }
};

TEST(StreamPrediction, HeightsOfTheLadderAreItsCrossEntropies) {
  const NoisyCopy task;
  const StreamPrediction p = predict_stream(task);
  ASSERT_EQ(p.rungs.size(), 3u);
  EXPECT_EQ(p.rungs[0].name, "nothing");
  EXPECT_NEAR(p.rungs[0].nats, std::log(6), 1e-6);
  EXPECT_NEAR(p.rungs[0].error, 0, 1e-6);
  const double wrong = NoisyCopy::noise / 6, right = 1 - NoisyCopy::noise + wrong;
  const double entropy = -right * std::log(right) - 5 * wrong * std::log(wrong);
  EXPECT_NEAR(p.rungs[1].nats, entropy, 4 * p.rungs[1].error);
  // Places are independent here, so the error is that of single answers.
  const double square = right * std::log(right) * std::log(right) + 5 * wrong * std::log(wrong) * std::log(wrong);
  EXPECT_NEAR(p.rungs[1].error, std::sqrt((square - entropy * entropy) / (2048 * 11)), 0.0008);
  EXPECT_EQ(p.rungs[2].nats, std::numeric_limits<double>::infinity()) << "what is sure of itself and wrong";
  EXPECT_EQ(p.examples, 2048);
  EXPECT_EQ(p.asked, 11 * p.sequences);
  EXPECT_FALSE(p.lags.hard);
  EXPECT_EQ(p.lags.best(1).front().lag, 1);
  EXPECT_NEAR(p.lags.best(1).front().share, 0.49, 0.01);
  EXPECT_FALSE(p.induction);
}

// Of answers that are distributions the heights have no noise of the draw: that of the truth is its mean entropy.
TEST(StreamPrediction, HeightsAreOfTheWholeTruthWhereItIsTheAnswer) {
  const auto task = make_task("higher-order-chain", table({{"states", whole(2)}, {"length", whole(8)}}));
  const StreamPrediction p = predict_stream(*task, {.sequences = 50});
  double entropy = 0;
  for (int step = 0; step < 32; ++step)
    for (const float y : draw(*task, Split::validation, static_cast<std::uint64_t>(step), 64).truth)
      if (y > 0) entropy -= static_cast<double>(y) * std::log(static_cast<double>(y)) / 2048;
  EXPECT_EQ(p.rungs.back().name, "truth");
  EXPECT_NEAR(p.rungs.back().nats, entropy, 1e-6);
  EXPECT_LT(p.rungs.back().error, 0.006) << "of single draws it is above 0.009";
}

// Asked of the last place alone, or asked everywhere and read there: the same sequences, and so the same heights.
TEST(StreamPrediction, HeightsOfTheLastAnswerAreThoseOfATaskThatAsksNoOther) {
  const auto everywhere = make_task("markov-icl", table({{"states", whole(2)}, {"length", whole(20)}}));
  const auto at_the_end =
      make_task("markov-icl", table({{"states", whole(2)}, {"length", whole(20)}, {"ask", word("last")}}));
  const StreamPrediction all = predict_stream(*everywhere, {.sequences = 50}),
                         last = predict_stream(*everywhere, {.sequences = 50, .last = true}),
                         only = predict_stream(*at_the_end, {.sequences = 50});
  EXPECT_TRUE(last.last);
  EXPECT_FALSE(all.last);
  ASSERT_EQ(last.rungs.size(), only.rungs.size());
  for (std::size_t rung = 0; rung < only.rungs.size(); ++rung) {
    EXPECT_EQ(last.rungs[rung].nats, only.rungs[rung].nats) << only.rungs[rung].name;
    EXPECT_EQ(last.rungs[rung].error, only.rungs[rung].error) << only.rungs[rung].name;
  }
  EXPECT_GT(all.rungs[2].nats, last.rungs[2].nats + 3 * last.rungs[2].error) << "a longer context predicts better";
  EXPECT_EQ(all.lags.lags[0].share, last.lags.lags[0].share) << "lags are of all answers";
}

TEST(StreamPrediction, IsTheSameEachTime) {
  const NoisyCopy task;
  const StreamPrediction a = predict_stream(task, {.sequences = 300}), b = predict_stream(task, {.sequences = 300});
  EXPECT_EQ(a.sequences, 300);
  for (std::size_t n = 0; n < a.lags.lags.size(); ++n) {
    EXPECT_EQ(a.lags.lags[n].share, b.lags.lags[n].share);
    EXPECT_EQ(a.lags.lags[n].deviations, b.lags.lags[n].deviations);
  }
  EXPECT_EQ(a.rungs[1].nats, b.rungs[1].nats);
}

TEST(StreamPrediction, OfTheTaskInductionIsItsFlow) {
  const auto task = make_task("induction", table({{"vocab", whole(32)}, {"length", whole(8)}}));
  const StreamPrediction p = predict_stream(*task, {.sequences = 500});
  ASSERT_TRUE(p.induction);
  EXPECT_NEAR(p.induction->context.positions, 8, 1e-12);
  EXPECT_EQ(p.induction->context.vocabulary, 32);
  EXPECT_NEAR(p.induction->shared, 45.5, 0.2);
  EXPECT_NEAR(p.induction->time, 801, 4);
  EXPECT_LT(p.induction->with_previous, p.induction->time);
  EXPECT_LT(p.induction->with_match, p.induction->with_previous);
  ASSERT_EQ(p.rungs.size(), 3u);
  EXPECT_NEAR(p.rungs[0].nats, std::log(32), 1e-6);
  EXPECT_NEAR(p.rungs[2].nats, 0, 1e-6);
  const auto small = make_task("induction", table({{"vocab", whole(6)}, {"length", whole(8)}}));
  EXPECT_FALSE(predict_stream(*small, {.sequences = 100}).induction) << "eight places, six tokens";
}

TEST(StreamPrediction, OfTheTaskInductionHasTheCausalFlow) {
  const auto task = make_task("induction", table({{"vocab", whole(96)}, {"length", whole(17)}}));
  const StreamPrediction p = predict_stream(*task, {.sequences = 200, .rate = 0.3});
  ASSERT_TRUE(p.causal);
  EXPECT_EQ(p.causal->context.positions, 16);
  EXPECT_NEAR(p.causal->context.level, std::log(16) / 2, 1e-12);
  EXPECT_NEAR(p.causal->time, 86.32, 0.05);
  EXPECT_NEAR(p.causal->everywhere, 115.8, 0.5);
  EXPECT_GT(p.causal->longer, 2 * p.causal->time);
  EXPECT_EQ(p.causal->rate, 0.3);
  const StreamPrediction frozen = predict_stream(*task, {.sequences = 200, .given = {.start_copy = 6, .copy = true}});
  EXPECT_NEAR(frozen.causal->time, 32.42, 0.05);
  EXPECT_EQ(frozen.causal->context.level, induction_event({16, 96}, {.start_copy = 6, .copy = true}));
  const auto few = make_task("induction", table({{"vocab", whole(32)}, {"length", whole(17)}}));
  EXPECT_TRUE(std::isnan(predict_stream(*few, {.sequences = 200}).causal->longer))
      << "32 tokens make no longer context";
  EXPECT_FALSE(predict_stream(*make_task("birth"), {.sequences = 50}).causal) << "it asks at several places";
}

// Of 0 1 0 1 0 and two of four tokens: at position 2 one of three positions follows an earlier 0, at position 4 two of five.
TEST(StreamPrediction, PlacesAreCountedByTheShareThatIsRight) {
  class Again final : public MadeStream {
   public:
    Again()
        : MadeStream(4, 5,
                     [](std::span<const int>, std::size_t t, RandomStream&) { return t == 2 || t == 4 ? 1 : -1; }) {}
    void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
      MadeStream::batch(split, step, size, batch);
      batch.alignment.assign(batch.source.ids.size(), -1);
      for (int b = 0; b < size; ++b) {
        for (int t = 0; t < 5; ++t) batch.source.at(b, t) = t % 2;
        batch.alignment[static_cast<std::size_t>(5 * b + 2)] = 1;
        batch.alignment[static_cast<std::size_t>(5 * b + 4)] = 3;
      }
    }
  };
  const Again task;
  const std::optional<InductionContext> context = induction_context(StreamSample(task, 3));
  ASSERT_TRUE(context);
  EXPECT_NEAR(context->positions, std::sqrt(3 * 2.5), 1e-12);
  EXPECT_EQ(context->vocabulary, 4);
  EXPECT_EQ(context->asking, 1);
}

TEST(StreamPrediction, RefusesWhatIsNoStreamOrAsksNothing) {
  EXPECT_THROW(predict_stream(*make_task("copy")), Error);
  EXPECT_THROW(predict_stream(MadeStream(3, 5, [](std::span<const int>, std::size_t, RandomStream&) { return -1; })),
               Error);
}

}  // namespace
}  // namespace fovea
