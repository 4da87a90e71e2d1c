#include "fovea/theory/exact/mixed_teacher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/tasks/exact/laws.h"

namespace fovea {
namespace {

// All four weights, of drawn numbers: nothing of the symmetries that the landscape is computed by.
double sampled_loss(const MixedTeacher& teacher, double position, double meaning) {
  constexpr int draws = 200'000;
  RandomStream stream(3, "mixed");
  double sum = 0;
  for (int n = 0; n < draws; ++n) {
    double s[2], z[2];
    for (int i = 0; i < 2; ++i) {
      const double g = stream.normal(), h = stream.normal();
      z[i] = teacher.noise * h;
      s[i] = (i == 0 ? position : -position) + teacher.noise * (position * g + meaning * h);
    }
    for (int i = 0; i < 2; ++i) {
      const double said = 1 / (1 + std::exp(s[i] * (s[1 - i] - s[i])));
      const double error = said - teacher_weight(teacher.positional, z[i], z[1 - i]);
      sum += 2 * error * error / draws;  // of the weights on both
    }
  }
  return teacher.noise * teacher.noise / 2 * sum;
}

TEST(MixedTeacher, LossIsThatOfDraws) {
  for (const auto& [position, meaning] : {std::pair(0.0, 0.0), {0.3, 0.0}, {0.0, 0.9}, {0.4, 0.5}})
    for (const MixedTeacher& teacher : {MixedTeacher{0.5, 0.3}, MixedTeacher{1, 0.1}}) {
      const double wanted = sampled_loss(teacher, position, meaning);
      EXPECT_NEAR(mixed_loss(teacher, position, meaning), wanted, 0.02 * wanted) << position << " " << meaning;
    }
}

TEST(MixedTeacher, SlopesAtTheStartAreThoseOfTheLandscape) {
  for (const MixedTeacher& teacher : {MixedTeacher{0.5, 0.1}, MixedTeacher{1, 0.1}, MixedTeacher{0.7, 0.4}}) {
    constexpr double near = 0.02;
    const double start = mixed_loss(teacher, 0, 0);
    const double position = start - mixed_loss(teacher, near, 0), meaning = start - mixed_loss(teacher, 0, near);
    EXPECT_NEAR(position / meaning, mixed_slope_ratio(teacher), 0.02 * mixed_slope_ratio(teacher));
  }
  EXPECT_NEAR(small_noise_slope_ratio({0.5, 0.1}), 2.54, 0.005);
  EXPECT_NEAR(small_noise_slope_ratio({std::sqrt(2.0 / 3), 0}), 1, 1e-12);
  EXPECT_NEAR(small_noise_slope_ratio({0.1, 0.3}) / mixed_slope_ratio({0.1, 0.3}), 1, 0.01);
  EXPECT_LT(small_noise_slope_ratio({1, 0.1}), 1);
  EXPECT_GT(mixed_slope_ratio({1, 0.1}), 1) << "the formula errs where content is large";
}

TEST(MixedTeacher, RivalsAndCrossingsAreTheKnownOnes) {
  EXPECT_NEAR(mixed_linear_loss({0.5, 0}), 0.00400, 0.00005);
  EXPECT_NEAR(mixed_linear_loss({0.5, 0.3}), 0.49 * mixed_linear_loss({0.5, 0}), 1e-9);
  EXPECT_NEAR(best_meaning({0.5, 0}).at, 1, 1e-3);
  EXPECT_NEAR(best_meaning({0.5, 0}).loss, 0, 1e-9);
  EXPECT_NEAR(mixed_crossing(0.5), 0.668, 0.01);
  EXPECT_NEAR(mixed_linear_crossing(0.5), 0.506, 0.01);
}

TEST(MixedTeacher, DescentOnManySamplesLeavesPositionWhereMeaningIsLarge) {
  EXPECT_LT(meaning_curvature({0.5, 0.1}), 0);
  EXPECT_GT(meaning_curvature({0.5, 0.95}), 0);
}

}  // namespace
}  // namespace fovea
