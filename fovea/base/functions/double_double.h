// DoubleDouble: numbers of about 106 bits (room base/functions). functions.cpp and angles.cpp alone use it. A number
// is the sum of two doubles, the second at most half a unit in the last place of the first. Sums and products of two
// doubles are exact in this form (Dekker 1971). `constexpr`: the compiler computes tables with it.
#pragma once

#include <bit>
#include <cstdint>

namespace fovea::math {

struct DoubleDouble {
  double high = 0, low = 0;
};

// high + low = a + b, for |a| >= |b|
constexpr DoubleDouble sum_of_ordered(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// high + low = a + b
constexpr DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// high + low = a b, where nothing overflows or underflows on the way
constexpr DoubleDouble exact_product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1;
  const double a_wide = splitter * a, a_high = a_wide - (a_wide - a), a_low = a - a_high;
  const double b_wide = splitter * b, b_high = b_wide - (b_wide - b), b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const DoubleDouble sum = sum_of_ordered(high.high, high.low + low.high);
  return sum_of_ordered(sum.high, sum.low + low.low);
}

constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return sum_of_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * DoubleDouble{first};
  const double second = rest.high / b.high;
  const DoubleDouble still = rest - b * DoubleDouble{second};
  return sum_of_ordered(first, second) + DoubleDouble{still.high / b.high};
}

// 2^n, -1022 <= n <= 1023
constexpr double power_of_two(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

// a 2^n, where that is exact
constexpr DoubleDouble times_power(DoubleDouble a, double power) { return {a.high * power, a.low * power}; }

}  // namespace fovea::math
