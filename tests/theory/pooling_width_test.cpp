#include "fovea/theory/pooling_width.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/random.h"

namespace fovea {
namespace {

struct Points {
  std::vector<double> x, y;
  LinePoints line() const { return {x, y}; }
};

// A wave and noise, at positions drawn evenly.
Points wave(std::uint64_t seed, int count = 60, double stretch = 1) {
  RandomStream draw(seed, "wave", 0);
  Points points;
  for (int i = 0; i < count; ++i) {
    const double x = 6 * draw.uniform();
    points.x.push_back(stretch * x);
    points.y.push_back(std::sin(2 * x) + 0.3 * draw.normal());
  }
  return points;
}

TEST(PoolingWidth, TheErrorIsThatOfAnsweringEachFromTheOthers) {
  const std::vector<double> x{0, 1, 3}, y{2, 5, -1};
  const double w = 0.7;
  const auto weight = [&](double d) { return std::exp(-w * w * d * d / 2); };
  const double first = (5 * weight(1) - 1 * weight(3)) / (weight(1) + weight(3)) - 2;
  const double second = (2 * weight(1) - 1 * weight(2)) / (weight(1) + weight(2)) - 5;
  const double third = (2 * weight(3) + 5 * weight(2)) / (weight(3) + weight(2)) + 1;
  EXPECT_NEAR(leave_one_out_error({x, y}, w), (first * first + second * second + third * third) / 3, 1e-12);
  EXPECT_DOUBLE_EQ(leave_one_out_error({x, y}, -w), leave_one_out_error({x, y}, w));
  // With none, all count alike; with much, the nearest alone.
  EXPECT_NEAR(leave_one_out_error({x, y}, 0), (0 + 4.5 * 4.5 + 4.5 * 4.5) / 3, 1e-12);
  EXPECT_NEAR(leave_one_out_error({x, y}, 1e6), (9 + 9 + 36) / 3.0, 1e-12);
  EXPECT_EQ(pooled({x, y}, 1e6), y);
}

TEST(PoolingWidth, ComesToRestWhereTheErrorIsLeastOnTheWay) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    const Points points = wave(seed);
    const WidthForecast forecast = forecast_width(points.line(), 1);
    EXPECT_TRUE(forecast.at_rest);
    EXPECT_LT(forecast.error, leave_one_out_error(points.line(), 1));
    for (const double beside : {0.99, 1.01})
      EXPECT_GT(leave_one_out_error(points.line(), beside * forecast.width), forecast.error);
    EXPECT_LE(forecast.best_error, forecast.error + 1e-12);
    for (const double error : forecast.errors) EXPECT_LE(forecast.best_error, error + 1e-12);
    // The sign of w means nothing; where it begins on the other side, it comes to the same.
    EXPECT_DOUBLE_EQ(forecast_width(points.line(), -1).width, -forecast.width);
  }
}

TEST(PoolingWidth, IsAsWideAsThePointsAre) {
  const Points narrow = wave(7), wide = wave(7, 60, 1000);
  const WidthForecast a = forecast_width(narrow.line(), 1), b = forecast_width(wide.line(), 1e-3);
  EXPECT_NEAR(1000 * b.width / a.width, 1, 1e-5);
  EXPECT_NEAR(b.error, a.error, 1e-9);
}

TEST(PoolingWidth, StaysWhereThereIsNoWayDown) {
  EXPECT_EQ(forecast_width(wave(7).line(), 0).width, 0);
  // So narrow that each sees its neighbour alone: a little more or less changes nothing.
  const Points apart = wave(7, 60, 1e6);
  const WidthForecast stuck = forecast_width(apart.line(), 1);
  EXPECT_EQ(stuck.width, 1);
  EXPECT_LT(stuck.best_error, 0.8 * stuck.error);
  EXPECT_THROW(forecast_width({std::vector<double>(3, 1.0), std::vector<double>(3, 1.0)}, 1), Error);
}

}  // namespace
}  // namespace fovea
