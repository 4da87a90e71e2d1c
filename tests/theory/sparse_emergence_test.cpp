#include "fovea/theory/sparse_emergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/error/error.h"
#include "fovea/base/random.h"
#include "fovea/base/statistics.h"

namespace fovea {
namespace {

TEST(SparseEmergence, SlopeIsThatOfTheLoss) {
  const double h = 1e-5;
  for (const SparseSetting setting : {SparseSetting{2, 1}, {16, 64}, {512, 9}, {16, 9, 4}, {16, 9, 4, true}}) {
    for (const SparsePoint at : {SparsePoint{0.3, 0.2}, {5, 4}, {-1, 2}, {8, -3}}) {
      const auto change = [&](double w, double logit) {
        return (sparse_loss(setting, {at.weight + w, at.logit + logit}) -
                sparse_loss(setting, {at.weight - w, at.logit - logit})) /
               (2 * h);
      };
      const SparsePoint slope = sparse_slope(setting, at);
      EXPECT_NEAR(slope.weight, -change(h, 0), 1e-8);
      // The difference of two logits that both move.
      const double both = 1.0 / (setting.shared ? 1 : setting.copies) + 1.0 / (setting.positions - setting.copies);
      EXPECT_NEAR(slope.logit, -change(0, h) * both, 1e-8);
    }
  }
}

// The loss and both slopes against the system that the two variables stand for: W (d, d), one logit a position.
TEST(SparseEmergence, LossIsTheOneOfVectors) {
  constexpr int d = 3, positions = 4, samples = 200'000;
  const SparseSetting setting{positions, d};
  const SparsePoint at{0.9, 0.8};
  double target[d][d], size = 0;
  RandomStream stream(1, "sparse-emergence");
  for (auto& row : target) {
    for (double& x : row) {
      x = stream.normal();
      size += x * x;
    }
  }
  for (auto& row : target)
    for (double& x : row) x *= std::sqrt(d / size);
  const double alpha = sparse_attention(setting, at), other = (1 - alpha) / (positions - 1);
  EXPECT_NEAR(alpha, 1 / (1 + 3 * std::exp(-0.8)), 1e-15);
  double loss = 0, along = 0, logit = 0;  // minus the gradient along W* / sqrt d, and by the logits
  for (int n = 0; n < samples; ++n) {
    double x[positions][d], mean[d] = {};
    for (int t = 0; t < positions; ++t)
      for (int i = 0; i < d; ++i) mean[i] += (t == positions - 1 ? alpha : other) * (x[t][i] = stream.normal());
    double value[positions] = {}, direction = 0;  // what each position and W* / sqrt d say, times what is missing
    for (const auto& row : target) {
      double truth = 0, read = 0, said[positions] = {};
      for (int i = 0; i < d; ++i) {
        truth += row[i] * x[positions - 1][i];
        read += row[i] / std::sqrt(d) * mean[i];
        for (int t = 0; t < positions; ++t) said[t] += row[i] * at.weight / std::sqrt(d) * x[t][i];
      }
      const double missing = truth - at.weight * read;
      loss += missing * missing / (2 * d) / samples;
      direction += missing * read / d;
      for (int t = 0; t < positions; ++t) value[t] += missing * said[t] / d;
    }
    along += direction / samples;
    double middle = 0;
    for (int t = 0; t < positions; ++t) middle += (t == positions - 1 ? alpha : other) * value[t];
    logit += alpha * (value[positions - 1] - middle) / samples;
    for (int t = 0; t < positions - 1; ++t) logit -= other * (value[t] - middle) / (positions - 1) / samples;
  }
  const SparsePoint slope = sparse_slope(setting, at);
  EXPECT_NEAR(loss, sparse_loss(setting, at), 0.005);
  EXPECT_NEAR(along, slope.weight, 0.005);
  EXPECT_NEAR(logit, slope.logit, 0.005);
  EXPECT_DOUBLE_EQ(sparse_loss(setting, {}), 0.5);
}

TEST(SparseEmergence, LeavesItsStartOnTheHyperbola) {
  const SparseSetting setting{512, 4096};
  const double unit = 512 * 64.0;
  const double taus[] = {0.05, 0.1, 0.2};
  const double times[] = {0.05 * unit, 0.1 * unit, 0.2 * unit};
  const std::vector<SparsePoint> flow = sparse_flow(setting, times);
  for (std::size_t n = 0; n < flow.size(); ++n) {
    const SparsePoint line = sparse_linearised(setting, times[n]);
    const double cosh = 1 + line.logit, near = taus[n] * taus[n] + 2.0 / setting.positions;
    EXPECT_NEAR(cosh * cosh - line.weight * line.weight, 1, 1e-12);
    EXPECT_NEAR(flow[n].weight, line.weight, near * line.weight) << n;
    EXPECT_NEAR(flow[n].logit, line.logit, near * line.logit) << n;
  }
}

double exponent_of_places(int width) {
  std::vector<double> sizes, times;
  for (int positions = 16; positions <= 512; positions *= 2) {
    sizes.push_back(positions);
    times.push_back(sparse_time({positions, width}));
  }
  return log_slope(sizes, times);
}

double exponent_of_width(int positions) {
  std::vector<double> sizes, times;
  for (int width = 16; width <= 1024; width *= 2) {
    sizes.push_back(width);
    times.push_back(sparse_time({positions, width}));
  }
  return log_slope(sizes, times);
}

double exponent_of_copies(bool shared) {
  std::vector<double> sizes, times;
  for (int copies = 1; copies <= 16; copies *= 2) {
    sizes.push_back(copies);
    times.push_back(sparse_time({1024, 64, copies, shared}));
  }
  return log_slope(sizes, times);
}

TEST(SparseEmergence, CopiesHelpByTheirRootOrByTheirNumber) {
  EXPECT_NEAR(exponent_of_copies(false), -0.49, 0.04);
  EXPECT_NEAR(exponent_of_copies(true), -1, 0.05);
  EXPECT_EQ(sparse_time({64, 16, 1, true}), sparse_time({64, 16, 1, false}));
}

// T sqrt d but for logarithms: the exponents fall slowly with the other size.
TEST(SparseEmergence, TimeGrowsWithPlacesAndTheRootOfWidth) {
  EXPECT_NEAR(exponent_of_places(64), 0.956, 0.001);
  EXPECT_NEAR(exponent_of_width(512), 0.494, 0.001);
  for (const int width : {16, 32, 64, 128}) {
    EXPECT_GT(exponent_of_places(width), 0.93) << width;
    EXPECT_LT(exponent_of_places(width), 1.02) << width;
  }
  for (const int positions : {64, 256, 512}) {
    EXPECT_GT(exponent_of_width(positions), 0.46) << positions;
    EXPECT_LT(exponent_of_width(positions), 0.53) << positions;
  }
}

TEST(SparseEmergence, EndsWithAllAttentionOnThePlaceThatTells) {
  const SparseSetting setting{16, 16};
  const double times[] = {1e5};
  const SparsePoint end = sparse_flow(setting, times).front();
  EXPECT_GT(sparse_attention(setting, end), 0.99);
  EXPECT_LT(sparse_loss(setting, end), 1e-3);
  EXPECT_EQ(sparse_time(setting, 0.5 * sparse_time(setting)), std::numeric_limits<double>::infinity());
}

TEST(SparseEmergence, RefusesSettingsThatCannotBe) {
  EXPECT_THROW(sparse_time({1, 8}), Error);
  EXPECT_THROW(sparse_time({8, 0}), Error);
}

}  // namespace
}  // namespace fovea
