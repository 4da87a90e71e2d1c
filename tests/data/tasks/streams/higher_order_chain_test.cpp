#include <cmath>

#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

TEST(HigherOrderChainTask, IsPureAndHasALadder) {
  expect_pure("higher-order-chain", {});
  for (const int order : {1, 2, 3}) expect_ladder("higher-order-chain", {{"order", whole(order)}}, 0.3);
  EXPECT_EQ(
      make_task("higher-order-chain", {{"order", whole(3)}})->ladder()->rungs(),
      (std::vector<std::string>{"uniform", "unigram", "lag-1", "lag-2", "lag-3", "lags-1-2", "lags-1-2-3", "truth"}));
}

// The next token depends on the two before it and on no other: in a long course its counts are the given row.
TEST(HigherOrderChainTask, FollowsTheRowsOfTwoTokens) {
  const auto task = make_task("higher-order-chain", {{"states", whole(2)}, {"length", whole(10'000)}});
  const Batch batch = draw(*task, Split::train, 0, 20);
  int near = 0, counted = 0;
  for (int b = 0; b < batch.size; ++b) {
    const auto source = [&](int t) { return batch.source.at(b, t); };
    double ones = 0, all = 0;
    for (int t = 2; t < 10'000; ++t) {
      if (source(t - 1) != source(9'999) || source(t - 2) != source(9'998)) continue;
      ++all;
      ones += source(t);
    }
    const double truth = double(batch.truth[static_cast<std::size_t>((b * 10'000 + 9'999) * 2 + 1)]);
    if (all < 500) continue;
    ++counted;
    near += std::abs(ones / all - truth) < 4 * std::sqrt(truth * (1 - truth) / all) + 1e-3;
  }
  EXPECT_GT(counted, 10);
  EXPECT_EQ(near, counted);
}

// 0 1 1 0 1 over two states, of order 2: what follows is seen at positions 2 to 4.
TEST(HigherOrderChainTask, RungsCountWhatFollowedTheSameTokens) {
  const auto task = make_task("higher-order-chain", {{"states", whole(2)}, {"length", whole(5)}});
  Batch batch = draw(*task, Split::train, 0, 1);
  batch.source.ids = {0, 1, 1, 0, 1};
  const auto one = [&](const std::string& rung) { return double(Said(*task, batch, rung).of(batch, 0, 4)[1]); };
  EXPECT_NEAR(one("uniform"), 0.5, 1e-6);
  // lags 1 and 2 before the answer hold 1 and 0: at position 2 the same context was followed by 1. c is alpha, 1.
  EXPECT_NEAR(one("lags-1-2"), 2.0 / 3, 1e-6);
  // lag 1: positions 2 (1) and 3 (0). Counts are even, whatever is added.
  EXPECT_NEAR(one("lag-1"), 0.5, 1e-6);
  // lag 2 holds 0: position 2 (1) alone. With c added to both: (1 + c) / (1 + 2c), c in the list.
  const double c = (1 - one("lag-2")) / (2 * one("lag-2") - 1);
  EXPECT_GT(c, 0.09);
  EXPECT_LT(c, 21);
  EXPECT_GT(one("unigram"), 0.5) << "1, 0 and 1 were seen";
}

// A prototype found, of 20 000 examples: .6182, .5737, .5735, .5164 and .4714.
TEST(HigherOrderChainTask, RungsOfTwoStates) {
  const auto task = make_task("higher-order-chain", {{"states", whole(2)}, {"length", whole(32)}});
  const Batch batch = draw(*task, Split::validation, 0, 20'000);
  double entropy = 0;
  for (const float p : batch.truth)
    if (p > 0) entropy -= double(p) * std::log(double(p)) / batch.size;
  EXPECT_NEAR(entropy, 0.4714, 0.006);
  for (const auto& [rung, height] :
       {std::pair("uniform", 0.6931), {"unigram", 0.6182}, {"lag-1", 0.5737}, {"lag-2", 0.5735}, {"lags-1-2", 0.5164}})
    EXPECT_NEAR(entropy + distance_from_truth(*task, batch, rung), height, 0.006) << rung;
}

TEST(HigherOrderChainTask, RefusesWhatItCannotHold) {
  EXPECT_NE(complaint("higher-order-chain", {{"states", whole(64)}, {"order", whole(4)}}).find("4096 contexts"),
            std::string::npos);
  EXPECT_NE(complaint("higher-order-chain", {{"length", whole(2)}}).find("a larger length"), std::string::npos);
}

}  // namespace
}  // namespace fovea
