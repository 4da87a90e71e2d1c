// sin and cos of base/functions/functions.h, which declares them for all rooms (room base/functions).
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fovea/base/functions/double_double.h"
#include "fovea/base/functions/functions.h"

namespace fovea::math {

namespace {

constexpr DoubleDouble half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double no_sine = std::numeric_limits<double>::quiet_NaN();

// An angle less quarters of a turn: |rest| <= π/4.
struct Angle {
  DoubleDouble rest;
  unsigned quarters = 0;  // modulo 4
};

// |x| = M 2^e with an integer M. Of x 2/π what is modulo 4, in integers of 192 bits: M times the bits of 2/π that
// matter.
Angle reduce(double x) {
  const double size = std::fabs(x);
  if (size <= half_pi.high / 2) return {{x}, 0};
  // 64 zeros, then the bits of 2/π after the point.
  static constexpr std::uint64_t words[] = {0,
                                            0xa2f9836e4e441529,
                                            0xfc2757d1f534ddc0,
                                            0xdb6295993c439041,
                                            0xfe5163abdebbc561,
                                            0xb7246e3a424dd2e0,
                                            0x06492eea09d1921c,
                                            0xfe1deb1cb129a73e,
                                            0xe88235f52ebb4484,
                                            0xe99c7026b45f7e41,
                                            0x3991d639835339f4,
                                            0x9c845f8bbdf9283b,
                                            0x1ff897ffde05980f,
                                            0xef2f118b5a0a6d1f,
                                            0x6d367ecf27cb09b7,
                                            0x4f463f669e5fea2d,
                                            0x7527bac7ebe5f17b,
                                            0x3d0739f78a5292ea,
                                            0x6bfb5fb11f8d5d08,
                                            0x56033046fc7b6bab};
  const auto bits = std::bit_cast<std::uint64_t>(size);
  const std::uint64_t mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
  const unsigned from = static_cast<unsigned>(bits >> 52) - 1075 + 62;  // the first bit whose product is below 4
  const auto window = [&](unsigned word) {
    const unsigned at = from / 64 + word, skip = from % 64;
    return skip == 0 ? words[at] : words[at] << skip | words[at + 1] >> (64 - skip);
  };
  __extension__ using Wide = unsigned __int128;
  const Wide low = static_cast<Wide>(mantissa) * window(2);
  const Wide middle = static_cast<Wide>(mantissa) * window(1) + (low >> 64);
  const std::uint64_t high = mantissa * window(0) + static_cast<std::uint64_t>(middle >> 64);
  // Two bits before the point, then the fraction: the nearest whole quarter goes to `quarters`.
  unsigned quarters = static_cast<unsigned>(high >> 62);
  Wide fraction = static_cast<Wide>(high << 2 | static_cast<std::uint64_t>(middle) >> 62) << 64 |
                  (static_cast<std::uint64_t>(middle) << 2 | static_cast<std::uint64_t>(low) >> 62);
  const bool above = fraction >> 127 != 0;
  if (above) {
    ++quarters;
    fraction = -fraction;
  }
  const auto top = static_cast<std::uint64_t>(fraction >> 64);
  const int zeros = top != 0 ? std::countl_zero(top) : 64 + std::countl_zero(static_cast<std::uint64_t>(fraction));
  fraction <<= zeros;
  const auto first = static_cast<std::uint64_t>(fraction >> 75), second = static_cast<std::uint64_t>(fraction >> 11);
  const DoubleDouble share =
      sum_of_ordered(static_cast<double>(first) * 0x1p-53, static_cast<double>(second) * 0x1p-117);
  DoubleDouble rest = times_power(share * half_pi, power_of_two(-zeros));
  if (above != (x < 0)) rest = -rest;
  return {rest, (x < 0 ? 0 - quarters : quarters) % 4};
}

// x - x³/3! + x⁵/5! - …
double sine_near_zero(DoubleDouble x) {
  const double t = x.high, z = t * t;
  const double tail =
      t * z *
      (-1. / 6 +
       z * (1. / 120 +
            z * (-1. / 5040 +
                 z * (1. / 362880 + z * (-1. / 39916800 + z * (1. / 6227020800 + z * (-1. / 1307674368000 +
                                                                                      z * (1. / 355687428096000))))))));
  return t + (tail + x.low * (1 - 0.5 * z));
}

// 1 - x²/2! + x⁴/4! - …
double cosine_near_zero(DoubleDouble x) {
  const double t = x.high, z = t * t, half = 0.5 * z, base = 1 - half;
  const double tail =
      z * z *
      (1. / 24 + z * (-1. / 720 +
                      z * (1. / 40320 + z * (-1. / 3628800 + z * (1. / 479001600 + z * (-1. / 87178291200 +
                                                                                        z * (1. / 20922789888000)))))));
  return base + (((1 - base) - half) + (tail - t * x.low));
}

// sin of the angle and `more` quarters of a turn
double sine_of(Angle angle, unsigned more) {
  const unsigned quarters = (angle.quarters + more) % 4;
  const double value = quarters % 2 == 0 ? sine_near_zero(angle.rest) : cosine_near_zero(angle.rest);
  return quarters < 2 ? value : -value;
}

}  // namespace

double sin(double x) {
  if (!std::isfinite(x)) return no_sine;
  return std::fabs(x) < 0x1p-28 ? x : sine_of(reduce(x), 0);
}

double cos(double x) { return std::isfinite(x) ? sine_of(reduce(x), 1) : no_sine; }

}  // namespace fovea::math
