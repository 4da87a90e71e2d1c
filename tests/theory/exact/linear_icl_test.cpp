#include "fovea/theory/exact/linear_icl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/error/error.h"
#include "fovea/base/random.h"

namespace fovea {
namespace {

TEST(LinearIcl, RungsOfKnownSettings) {
  const std::vector<double> white = linear_icl_rungs({31, {0.25, 0.25, 0.25, 0.25}});
  ASSERT_EQ(white.size(), 5u);
  EXPECT_DOUBLE_EQ(white.front(), 1);
  EXPECT_NEAR(white.back(), 5.0 / 36, 1e-12);  // (1 + D) / (N + 1 + D)
  const std::vector<double> stairs = linear_icl_rungs({31, {0.1, 0.4, 0.2, 0.3}});
  const double wanted[] = {1, 0.6406, 0.3774, 0.2098, 0.1360};
  for (std::size_t m = 0; m < 5; ++m) EXPECT_NEAR(stairs[m], wanted[m], 5e-5) << m;
}

// A single pair tells least: E[(beta x)^2] is then 3 l^2 times that of many in one dimension.
TEST(LinearIcl, RungsAreTheLeastSquaresOfSamples) {
  const LinearIclSetting setting{3, {0.7, 0.2}};
  constexpr int samples = 400'000;
  RandomStream stream(1, "linear-icl");
  double joint[2] = {}, square[2] = {}, loss[3] = {};
  for (int n = 0; n < samples; ++n) {
    double w[2], query[2], beta[2] = {}, answer = 0;
    for (int d = 0; d < 2; ++d) {
      w[d] = stream.normal();
      query[d] = std::sqrt(setting.eigenvalues[static_cast<std::size_t>(d)]) * stream.normal();
      answer += w[d] * query[d];
    }
    for (int pair = 0; pair < setting.pairs; ++pair) {
      double x[2], y = 0;
      for (int d = 0; d < 2; ++d)
        y += w[d] * (x[d] = std::sqrt(setting.eigenvalues[static_cast<std::size_t>(d)]) * stream.normal());
      for (int d = 0; d < 2; ++d) beta[d] += y * x[d] / setting.pairs;
    }
    loss[0] += answer * answer / samples;
    for (int d = 0; d < 2; ++d) {
      joint[d] += answer * beta[d] * query[d] / samples;
      square[d] += beta[d] * beta[d] * query[d] * query[d] / samples;
    }
  }
  loss[1] = loss[0] - joint[0] * joint[0] / square[0];
  loss[2] = loss[1] - joint[1] * joint[1] / square[1];
  const std::vector<double> rungs = linear_icl_rungs(setting);
  for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(loss[m], rungs[m], 0.01) << m;
}

TEST(LinearIcl, DurationIsThatOfTheFlow) {
  const LinearIclSetting white{31, {0.25, 0.25, 0.25, 0.25}};
  EXPECT_NEAR(linear_icl_duration(white), 14.753, 0.001);
  // v' = u (c - a s), u' = v (c - a s), s = v u, by small steps; c = D^(-3/2), a so that s ends at c / a.
  const double c = 0.125, a = 0.3, end = c / a, step = 1e-3;
  double v = 1e-3, u = 1e-3, began = 0, ended = 0;
  for (double time = 0; ended == 0; time += step) {
    const double force = c - a * v * u, share = 1 - (1 - v * u / end) * (1 - v * u / end);
    if (began == 0 && share >= 0.1) began = time;
    if (share >= 0.9) ended = time;
    const double dv = u * force, du = v * force;
    v += step * dv, u += step * du;
  }
  EXPECT_NEAR(ended - began, linear_icl_duration(white), 0.05);
  EXPECT_GT(linear_icl_duration(white, 0.01, 0.9), linear_icl_duration(white));
}

TEST(LinearIcl, RefusesWhatCanNotBe) {
  EXPECT_THROW(linear_icl_rungs({0, {1}}), Error);
  EXPECT_THROW(linear_icl_rungs({3, {}}), Error);
  EXPECT_THROW(linear_icl_rungs({3, {1, 0}}), Error);
  EXPECT_THROW(linear_icl_rungs({3, {std::numeric_limits<double>::infinity()}}), Error);
  EXPECT_THROW(linear_icl_duration({3, {1, 2}}), Error);
  EXPECT_THROW(linear_icl_duration({3, {1}}, 0.9, 0.1), Error);
}

}  // namespace
}  // namespace fovea
