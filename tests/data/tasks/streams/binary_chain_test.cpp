#include <cmath>

#include "fovea/data/ladder.h"
#include "tests/data/tasks/streams/stream_help.h"
#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(BinaryChainTask, FollowsItsChainFromTheStationaryLaw) {
  expect_pure("binary-chain", {});
  const auto task = make_task("binary-chain", {{"to_one", real(0.3)}, {"to_zero", real(0.6)}, {"length", whole(5)}});
  const Batch batch = draw(*task, Split::validation, 0, 20'000);
  double ones[2] = {}, counts[2] = {}, first = 0;
  for (int b = 0; b < batch.size; ++b) {
    first += batch.source.at(b, 0);
    for (int t = 0; t < 5; ++t) {
      const int state = batch.source.at(b, t);
      if (t < 4) {
        EXPECT_EQ(batch.target.at(b, t), batch.source.at(b, t + 1));
      }
      ones[state] += batch.target.at(b, t);
      ++counts[state];
    }
  }
  EXPECT_NEAR(first / batch.size, 1.0 / 3, 0.01);
  EXPECT_NEAR(ones[0] / counts[0], 0.3, 0.01);
  EXPECT_NEAR(ones[1] / counts[1], 0.4, 0.01);
  EXPECT_NEAR(counts[1] / (counts[0] + counts[1]), 1.0 / 3, 0.01);
}

// Of 0.2, 0.2 and of 0.8, 0.8 every rung has the same loss.
TEST(BinaryChainTask, RungsAreTheChainsEntropies) {
  const auto height = [](double p, int rung) {
    const auto task = make_task("binary-chain", {{"to_one", real(p)}, {"to_zero", real(p)}, {"length", whole(8)}});
    const Batch batch = draw(*task, Split::validation, 0, 2000);
    std::vector<float> memory(static_cast<std::size_t>(2000 * 8 * 2));
    const Matrix<float> said(memory.data(), 2000 * 8, 2);
    task->ladder()->predict(batch, rung, said);
    double sum = 0;
    for (int b = 0; b < 2000; ++b)
      for (int t = 0; t < 8; ++t) sum -= std::log(double(said(b * 8 + t, batch.target.at(b, t)))) / (2000 * 8);
    return sum;
  };
  const double bigram = -0.2 * std::log(0.2) - 0.8 * std::log(0.8);
  for (const double p : {0.2, 0.8}) {
    EXPECT_NEAR(height(p, 0), std::log(2), 1e-6);
    EXPECT_NEAR(height(p, 1), std::log(2), 1e-6);
    EXPECT_NEAR(height(p, 2), bigram, 0.02);
  }
}

}  // namespace
}  // namespace fovea
