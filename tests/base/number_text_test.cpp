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

TEST(NumberText, ReadsANumberOfAName) {
  std::string_view text = "_l12_h3";
  EXPECT_EQ(number_after("_h", text), std::nullopt);
  EXPECT_EQ(number_after("_l", text), 12);
  EXPECT_EQ(text, "_h3");
  EXPECT_EQ(number_after("_h", text), 3);
  EXPECT_EQ(text, "");
  EXPECT_EQ(number_after("", text), std::nullopt);
  for (const char* const other : {"_l", "_lx", "_l-1", "_l+1", "_l 1", "_l99999999999", "l1", ""}) {
    text = other;
    EXPECT_EQ(number_after("_l", text), std::nullopt) << other;
    EXPECT_EQ(text, other);
  }
  text = "layer.007.head";
  EXPECT_EQ(number_after("layer.", text), 7);
  EXPECT_EQ(text, ".head");
}

}  // namespace
}  // namespace fovea
