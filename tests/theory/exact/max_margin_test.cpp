#include "fovea/theory/exact/max_margin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/random.h"
#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

Batch one_sequence() {
  Batch batch;
  batch.size = 1;
  batch.items.resize(1, 2, 2);
  batch.items.values = {1, 0, 0, 1};
  batch.values.resize(1, 2, 1);
  batch.values.values = {0.5, -0.25};
  batch.queries.resize(1, 1, 2);
  batch.queries.values = {1, 0};
  batch.answers.resize(1, 1, 1);
  batch.answers.values = {1};
  return batch;
}

Batch drawn_sequences(int seed) {
  Batch batch;
  const auto task = make_task("max-margin", {}, static_cast<std::uint64_t>(seed));
  task->batch(Split::train, 0, 6, batch);
  return batch;
}

TEST(MaxMargin, OfOneSequenceIsKnown) {
  const MarginSolution solution = max_margin(one_sequence(), std::vector{0});
  const double expected[] = {0.5, 0, -0.5, 0};
  for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(solution.map[n], expected[n], 1e-12);
  EXPECT_NEAR(solution.margin, 1, 1e-12);
  EXPECT_EQ(solution.support, 1);
  EXPECT_EQ(best_tokens(one_sequence()), std::vector{0});
  const std::vector<double> step = first_step(one_sequence());
  EXPECT_NEAR(cosine_of(step, solution.map), 1, 1e-12) << "of two tokens there is one direction";
  EXPECT_NEAR(step[0], 0.375 / 2 / (1 + std::exp(0.125)), 1e-12);
}

// The least of all constraints under a map.
double margin_of(const Batch& batch, std::span<const int> chosen, const std::vector<double>& map) {
  const int d = batch.items.width;
  double least = HUGE_VAL;
  for (int i = 0; i < batch.size; ++i)
    for (int t = 0; t < batch.items.columns; ++t) {
      const int best = chosen[static_cast<std::size_t>(i)];
      if (t == best) continue;
      double margin = 0;
      for (int a = 0; a < d; ++a)
        for (int b = 0; b < d; ++b)
          margin += (double(batch.items.item(i, best)[a]) - batch.items.item(i, t)[a]) *
                    map[static_cast<std::size_t>(a * d + b)] * batch.queries.item(i, 0)[b];
      least = std::min(least, margin);
    }
  return least;
}

TEST(MaxMargin, NoMapNearItKeepsTokensApartAndIsSmaller) {
  for (int seed = 0; seed < 3; ++seed) {
    const Batch batch = drawn_sequences(seed);
    const std::vector<int> chosen = best_tokens(batch);
    const MarginSolution solution = max_margin(batch, chosen);
    EXPECT_NEAR(solution.margin, 1, 1e-6);
    EXPECT_NEAR(margin_of(batch, chosen, solution.map), solution.margin, 1e-9);
    EXPECT_GT(solution.support, 6);
    const double length = std::sqrt(cosine_of(solution.map, solution.map));
    EXPECT_NEAR(length, 1, 1e-12);
    RandomStream stream(7, "near", static_cast<std::uint64_t>(seed));
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<double> other = solution.map;
      double squares = 0, before = 0;
      for (double& x : other) {
        before += x * x;
        x += (trial % 2 == 0 ? 0.01 : 0.3) * stream.normal();
        squares += x * x;
      }
      const double margin = margin_of(batch, chosen, other);
      if (margin <= 0) continue;
      EXPECT_GT(std::sqrt(squares) / margin, std::sqrt(before) - 1e-6);
    }
  }
}

TEST(MaxMargin, EffectiveRankCountsSingularValues) {
  EXPECT_NEAR(effective_rank(std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}), 3, 1e-12);
  EXPECT_NEAR(effective_rank(std::vector<double>{1, 2, 2, 4}), 1, 1e-7);
  EXPECT_NEAR(effective_rank(std::vector<double>{0, 3, 1, 0}), 1.6, 1e-12);
  EXPECT_EQ(effective_rank(std::vector<double>{0, 0, 0, 0}), 0);
  // A turn leaves singular values as they are.
  const double c = std::cos(0.7), s = std::sin(0.7);
  EXPECT_NEAR(effective_rank(std::vector<double>{3 * c, -s, 3 * s, c}), 1.6, 1e-9);
}

}  // namespace
}  // namespace fovea
