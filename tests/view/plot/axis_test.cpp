#include "fovea/view/plot/axis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea {
namespace {

using Words = std::vector<std::string>;

Words labels(const std::vector<Tick>& ticks) {
  Words words;
  for (const Tick& tick : ticks)
    if (!tick.label.empty()) words.push_back(tick.label);
  return words;
}

TEST(Ticks, AreRound) {
  EXPECT_EQ(labels(nice_ticks(0, 1, false, 5)), (Words{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(nice_ticks(0, 1, false, 4)), (Words{"0", "0.25", "0.50", "0.75", "1.00"}));
  EXPECT_EQ(labels(nice_ticks(-1, 1, false, 2)), (Words{"−1", "0", "1"}));
  EXPECT_EQ(labels(nice_ticks(0, 200, false, 4)), (Words{"0", "50", "100", "150", "200"}));
}

TEST(Ticks, StayWithinAndFewForAnyRange) {
  for (const double low : {-1e9, -3.7, 0.0, 1e-12, 5.0, 12345.678})
    for (const double span : {1e-3, 0.03, 1.0, 7.3, 1e4, 1e12}) {
      const double high = low + span;
      const std::vector<Tick> ticks = nice_ticks(low, high, false, 5);
      EXPECT_GE(ticks.size(), 2u) << low << " " << span;
      EXPECT_LE(ticks.size(), 10u) << low << " " << span;
      for (const Tick& tick : ticks) {
        EXPECT_GE(tick.at, low - span * 1e-3);
        EXPECT_LE(tick.at, high + span * 1e-3);
      }
    }
}

TEST(Ticks, OfALogarithmicAxisAreDecades) {
  EXPECT_EQ(labels(nice_ticks(1, 1e4, true, 8)), (Words{"1", "10", "100", "1000", "10000"}));
  EXPECT_EQ(labels(nice_ticks(1e-7, 1e-4, true, 8)), (Words{"10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴"}));
  EXPECT_EQ(labels(nice_ticks(1, 20, true, 6)), (Words{"1", "2", "5", "10", "20"}));
  EXPECT_GE(labels(nice_ticks(30, 60, true, 5)).size(), 2u);
  EXPECT_LE(labels(nice_ticks(1e-30, 1e30, true, 6)).size(), 12u);
}

TEST(Ticks, OfNothingAreNone) {
  EXPECT_TRUE(nice_ticks(1, 1, false, 5).empty());
  EXPECT_TRUE(nice_ticks(NAN, 1, false, 5).empty());
  EXPECT_TRUE(nice_ticks(0, HUGE_VAL, false, 5).empty());
}

TEST(AxisScale, PutsEndsOnEnds) {
  const AxisScale linear{0, 10, 100, 200, false}, log{1, 100, 0, 10, true};
  EXPECT_DOUBLE_EQ(linear(5), 150);
  EXPECT_DOUBLE_EQ(log(10), 5);
  EXPECT_FALSE(log.shows(0));
  EXPECT_FALSE(linear.shows(NAN));
}

}  // namespace
}  // namespace fovea
