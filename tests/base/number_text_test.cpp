#include "fovea/base/number_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea {
namespace {

TEST(NumberText, IsShortAndHonest) {
  EXPECT_EQ(number_text(0.93122), "0.9312");
  EXPECT_EQ(number_text(1), "1");
  EXPECT_EQ(number_text(-2), "−2");
  EXPECT_EQ(number_text(12345), "12345");
  EXPECT_EQ(number_text(1.5e-7), "1.5×10⁻⁷");
  EXPECT_EQ(number_text(NAN), "–");
  EXPECT_EQ(number_text(HUGE_VAL), "∞");
  EXPECT_EQ(number_text(-HUGE_VAL), "−∞");
  EXPECT_EQ(number_text(-2.5e6), "−2.5×10⁶");
}

}  // namespace
}  // namespace fovea
