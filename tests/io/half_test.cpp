#include "fovea/io/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fovea {
namespace {

// By the format's definition, in double.
double value_of(Half half) {
  const int exponent = (half >> 10) & 0x1f, fraction = half & 0x3ff;
  const double sign = half & 0x8000 ? -1 : 1;
  if (exponent == 0x1f) return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

TEST(Half, EveryHalfReadsAsItsValueAndComesBackAsItself) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<Half>(bits);
    const double value = value_of(half);
    if (std::isnan(value)) ASSERT_TRUE(std::isnan(from_half(half))) << bits;
    else
      ASSERT_EQ(std::bit_cast<std::uint64_t>(static_cast<double>(from_half(half))), std::bit_cast<std::uint64_t>(value))
          << bits;
    ASSERT_EQ(to_half(from_half(half)), half);
  }
}

// Between two neighbours there is one point where rounding turns; the floats on it and next to it are tried for all of
// them.
TEST(Half, EveryBoundaryRoundsToTheNearestAndTiesToEven) {
  for (const std::uint32_t sign : {0u, 0x8000u}) {
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
      const auto low = static_cast<Half>(sign | bits), high = static_cast<Half>(sign | (bits + 1));
      const auto middle = static_cast<float>((value_of(low) + value_of(high)) / 2);  // exact
      const float outward = sign ? -HUGE_VALF : HUGE_VALF;
      ASSERT_EQ(to_half(middle), bits % 2 == 0 ? low : high) << bits;
      ASSERT_EQ(to_half(std::nextafter(middle, 0.0f)), low) << bits;
      ASSERT_EQ(to_half(std::nextafter(middle, outward)), high) << bits;
      ASSERT_EQ(to_half(std::nextafter(from_half(low), outward)), low) << bits;
      ASSERT_EQ(to_half(std::nextafter(from_half(high), 0.0f)), high) << bits;
    }
  }
}

TEST(Half, EndsOfTheRange) {
  EXPECT_EQ(to_half(65504), 0x7bff);
  EXPECT_EQ(to_half(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(to_half(65520), 0x7c00);
  EXPECT_EQ(to_half(std::numeric_limits<float>::max()), 0x7c00);
  EXPECT_EQ(to_half(-HUGE_VALF), 0xfc00);
  EXPECT_EQ(to_half(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(to_half(-0.0f), 0x8000);
  for (const std::uint32_t nan : {0x7f800001u, 0x7fc00000u, 0xffffffffu})
    EXPECT_TRUE(std::isnan(from_half(to_half(std::bit_cast<float>(nan)))));
}

// What the header promises, over one in 101 of all floats in [0, 1].
TEST(Half, AccuracyIsAsStated) {
  for (std::uint32_t bits = 0; bits <= 0x3f800000u; bits += 101) {
    const float x = std::bit_cast<float>(bits);
    const double error = std::abs(static_cast<double>(from_half(to_half(x))) - static_cast<double>(x));
    ASSERT_LE(error, x >= 0x1p-14f ? static_cast<double>(x) * 0x1p-11 : 0x1p-25) << x;
  }
}

}  // namespace
}  // namespace fovea
