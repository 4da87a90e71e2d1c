#include "fovea/theory/exact/race_product.h"

#include <cmath>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

Batch small_race() {
  Batch batch;
  batch.size = 1;
  batch.answers.resize(1, 3, 2);
  batch.answers.values = {1, 2, 0, 1, 3, 0};
  batch.items.resize(1, 1, 4);
  batch.items.values = {1, 1, 1, 2};
  return batch;
}

// |a*|² |b*|² |c*|² = 5 · 1 · 9, of 8 cells; n m = 8, |d*|² = 7.
TEST(RaceProduct, FadedErrorAndTimeAreThoseOfTheVectors) {
  EXPECT_NEAR(race_faded_error(small_race()), 45.0 / 16, 1e-12);
  EXPECT_NEAR(race_fade_time(small_race(), 0.5, 0.25), std::log(2.0) * 8 / (0.5 * 7), 1e-12);
}

// Plain descent on a alone, with the others true: the closed form, in steps so small that it is followed.
TEST(RaceProduct, FadeTimeIsThatOfDescentByTheCost) {
  const double rate = 1e-4, cost = 0.5, share = 0.8;
  double a = 1, time = 0;
  while ((1 - a) * (1 - a) < share) {
    a -= rate * cost * 7 * a / 8;
    time += rate;
  }
  EXPECT_NEAR(race_fade_time(small_race(), cost, share), time, 1e-3);
}

}  // namespace
}  // namespace fovea
