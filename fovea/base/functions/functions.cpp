#include "fovea/base/functions/functions.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "fovea/base/functions/double_double.h"

namespace fovea::math {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr DoubleDouble one{1};

// Constants and tables, computed by the compiler from series.

// log(x) = 2 artanh(z) = 2 (z + z³/3 + z⁵/5 + …),  z = (x - 1) / (x + 1)
constexpr DoubleDouble log_by_series(double x) {
  const DoubleDouble z = DoubleDouble{x - 1} / DoubleDouble{x + 1}, square = z * z;
  DoubleDouble sum, power = z;
  for (int n = 1; n < 60; n += 2) {
    sum = sum + power / DoubleDouble{static_cast<double>(n)};
    power = power * square;
  }
  return times_power(sum, 2);
}

constexpr DoubleDouble exp_by_series(DoubleDouble x) {
  DoubleDouble sum = one, term = one;
  for (int n = 1; n < 30; ++n) {
    term = term * x / DoubleDouble{static_cast<double>(n)};
    sum = sum + term;
  }
  return sum;
}

constexpr DoubleDouble ln2 = log_by_series(2);
constexpr DoubleDouble log2_of_e = one / ln2;
constexpr DoubleDouble log10_of_e = one / (ln2 + ln2 + ln2 + log_by_series(1.25));    // 10 = 2³ 1.25
constexpr DoubleDouble inverse_root_pi{0x1.20dd750429b6dp-1, 0x1.1ae3a914fed80p-57};  // 1 / √π

// A number of few bits, whose product with an integer of few bits is exact, and the rest.
constexpr DoubleDouble shortened(DoubleDouble x) {
  const double high = static_cast<double>(static_cast<float>(x.high));
  return {high, (x.high - high) + x.low};
}
constexpr DoubleDouble short_ln2 = shortened(ln2);

constexpr int parts = 128;

// 2^(j/128)
constexpr std::array<DoubleDouble, parts> make_powers() {
  std::array<DoubleDouble, parts> powers;
  for (int j = 0; j < parts; ++j) {
    powers[static_cast<std::size_t>(j)] = exp_by_series(ln2 * DoubleDouble{static_cast<double>(j) / parts});
  }
  return powers;
}
constexpr std::array<DoubleDouble, parts> powers = make_powers();

// 1 <= m < 2 lies in one of 128 intervals. `factor` is close to 1/m there, in 9 bits: 1 at both ends, and half of it
// in the upper intervals, whose `halved` is 1. `log` is -log(factor).
struct Interval {
  double factor = 1;
  int halved = 0;
  DoubleDouble log;
};
constexpr std::array<Interval, parts> make_intervals() {
  std::array<Interval, parts> intervals;
  for (int i = 0; i < parts; ++i) {
    Interval& interval = intervals[static_cast<std::size_t>(i)];
    interval.halved = i >= 53 ? 1 : 0;  // m > 1.414
    const double middle = (1 + (i + 0.5) / parts) / (1 + interval.halved);
    const bool at_one = i == 0 || i == parts - 1;
    const int rounded = static_cast<int>(512 / middle + 1) / 2;  // 256 / middle
    interval.factor = at_one ? 1 : static_cast<double>(rounded) / 256;
    interval.log = -log_by_series(interval.factor);
  }
  return intervals;
}
constexpr std::array<Interval, parts> intervals = make_intervals();

// x 2^n, for |n| <= 1400 and x about 1. In two steps, the first of which is exact.
double scaled(double x, int n) {
  const int half = n / 2;
  return x * power_of_two(half) * power_of_two(n - half);
}

// Where e^x lies among powers of two: value 2^power, 0.99 < value < 2.01.
struct Exponential {
  DoubleDouble value;
  int power = 0;
};

// x = (128 power + j) ln 2 / 128 + r, |r| < 0.0028:  e^x = 2^power 2^(j/128) (1 + r + r²/2 + …).  |x| < 1500
Exponential exponential(DoubleDouble x) {
  constexpr DoubleDouble step{short_ln2.high / parts, short_ln2.low / parts};
  constexpr double rounding = 0x1.8p52;  // what is added to it is rounded to an integer
  const double n = (x.high * (parts * log2_of_e.high) + rounding) - rounding;
  const DoubleDouble r = exact_sum(x.high - n * step.high, x.low - n * step.low);
  const double t = r.high;
  const double curve = t * t * (1. / 2 + t * (1. / 6 + t * (1. / 24 + t * (1. / 120 + t * (1. / 720)))));
  const DoubleDouble growth = sum_of_ordered(t, r.low + (curve + t * r.low));

  const int index = static_cast<int>(n), j = index & (parts - 1);
  const DoubleDouble base = powers[static_cast<std::size_t>(j)];
  const DoubleDouble more = exact_product(base.high, growth.high);
  const DoubleDouble sum = sum_of_ordered(base.high, more.high);
  const double low = sum.low + (more.low + (base.low + (base.high * growth.low + base.low * growth.high)));
  return {sum_of_ordered(sum.high, low), (index - j) / parts};
}

// e^x
double rounded_exponential(DoubleDouble x) {
  if (x.high > 710) return infinite;
  if (x.high < -746) return 0;
  const Exponential e = exponential(x);
  return scaled(e.value.high, e.power);
}

// e^x as it is; |x| < 700
DoubleDouble plain_exponential(DoubleDouble x) {
  const Exponential e = exponential(x);
  return times_power(e.value, power_of_two(e.power));
}

// e^x - 1, for 2^-30 < |x| < 700
DoubleDouble growth_of(double x) {
  const DoubleDouble e = plain_exponential({x});
  const DoubleDouble difference = exact_sum(e.high, -1);
  return sum_of_ordered(difference.high, difference.low + e.low);
}

// log(x.high + x.low) for finite x.high > 0. With x = 2^e m and f = 1/m nearly:
// log x = e ln 2 - log f + log(1 + r),  1 + r = f m,  |r| < 2^-7,  log(1 + r) = r - r²/2 + r³/3 - …
DoubleDouble logarithm(DoubleDouble x) {
  int exponent = 0;
  if (x.high < 0x1p-1000) {
    x = times_power(x, 0x1p60);
    exponent = -60;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x.high);
  const Interval& interval = intervals[bits >> 45 & (parts - 1)];
  const int shift = static_cast<int>(bits >> 52) - 1023 + interval.halved;
  exponent += shift;
  // Of x 2^-shift the first 26 bits, and the rest: products of both with the factor are exact.
  const double down = shift > 1000 ? 0x1p-1000 * power_of_two(1000 - shift) : power_of_two(-shift);
  const double top = std::bit_cast<double>(bits & ~std::uint64_t{0x7ffffff}) * down;
  const double rest = x.high * down - top;
  const DoubleDouble near = exact_sum(top * interval.factor - 1, rest * interval.factor);
  const DoubleDouble r = sum_of_ordered(near.high, near.low + x.low * down * interval.factor);

  const double t = r.high;
  const DoubleDouble square = exact_product(t, t);
  const double tail =
      square.high * t *
      (1. / 3 -
       t * (1. / 4 -
            t * (1. / 5 - t * (1. / 6 - t * (1. / 7 - t * (1. / 8 - t * (1. / 9 - t * (1. / 10 - t * (1. / 11)))))))));
  const DoubleDouble curve = sum_of_ordered(t, -0.5 * square.high);
  const DoubleDouble near_one = sum_of_ordered(curve.high, curve.low + (r.low - (0.5 * square.low + t * r.low) + tail));
  const DoubleDouble base = exact_sum(exponent * short_ln2.high, interval.log.high);
  const DoubleDouble sum = exact_sum(base.high, near_one.high);
  const double low = sum.low + (near_one.low + (base.low + (exponent * short_ln2.low + interval.log.low)));
  return sum_of_ordered(sum.high, low);
}

// What a logarithm is of a number that has none; 0 of one that has.
double without_logarithm(double x) {
  if (x > 0 && x < infinite) return 0;
  return x == 0 ? -infinite : x > 0 ? x : no_number;
}

// Lengths.

// √(sum of squares), of numbers at most 1, the largest at least 1/2
double root_of_squares(std::initializer_list<double> numbers) {
  DoubleDouble sum;
  for (const double x : numbers) sum = sum + exact_product(x, x);
  const double root = std::sqrt(sum.high);
  const DoubleDouble error = sum - exact_product(root, root);
  return root + error.high / (2 * root);
}

double length_of(std::initializer_list<double> numbers) {
  double most = 0;
  bool unknown = false;
  for (const double x : numbers) {
    if (std::isinf(x)) return infinite;
    unknown = unknown || std::isnan(x);
    most = std::fabs(x) > most ? std::fabs(x) : most;
  }
  if (unknown) return no_number;
  if (most == 0) return 0;
  const int power = std::ilogb(most) + 1;
  double shares[3] = {};
  std::size_t count = 0;
  for (const double x : numbers) {
    const double share = std::fabs(std::ldexp(x, -power));
    shares[count++] = share < 0x1p-100 ? 0 : share;  // too small to count; products of it might not be exact
  }
  return std::ldexp(root_of_squares({shares[0], shares[1], shares[2]}), power);
}

// Whole numbers, and which of them are odd.
bool is_whole(double x) { return std::floor(x) == x; }
bool is_odd(double x) { return is_whole(x) && !is_whole(0.5 * x); }

constexpr double tiny = 0x1p-28;  // x³ counts for nothing beside x there

}  // namespace

double exp(double x) { return std::isnan(x) ? x : rounded_exponential({x}); }

double exp2(double x) {
  if (std::isnan(x)) return x;
  if (std::fabs(x) > 1100) return x > 0 ? infinite : 0;
  return rounded_exponential(DoubleDouble{x} * ln2);
}

double expm1(double x) {
  if (std::isnan(x)) return x;
  if (std::fabs(x) < tiny) return x == 0 ? x : x + 0.5 * x * x;
  if (x > 60) return exp(x);
  return x < -60 ? -1 : growth_of(x).high;
}

double log(double x) {
  const double none = without_logarithm(x);
  return none == 0 ? logarithm({x}).high : none;
}

double log2(double x) {
  const double none = without_logarithm(x);
  return none == 0 ? (logarithm({x}) * log2_of_e).high : none;
}

double log10(double x) {
  const double none = without_logarithm(x);
  return none == 0 ? (logarithm({x}) * log10_of_e).high : none;
}

double log1p(double x) {
  if (std::fabs(x) < tiny) return x - 0.5 * x * x;
  const double none = without_logarithm(1 + x);
  return none == 0 ? logarithm(exact_sum(1, x)).high : none;
}

double pow(double x, double y) {
  if (x == 1 || y == 0) return 1;
  if (std::isnan(x) || std::isnan(y)) return no_number;
  const double size = std::fabs(x);
  const double sign = std::signbit(x) && is_odd(y) ? -1 : 1;
  if (std::isinf(y)) return size == 1 ? 1 : (size > 1) == (y > 0) ? infinite : 0;
  if (size == 0 || std::isinf(size)) return sign * ((size == 0) == (y < 0) ? infinite : 0);
  if (x < 0 && !is_whole(y)) return no_number;
  if (size == 1) return sign;
  if (std::fabs(y) > 0x1p70) return sign * ((size > 1) == (y > 0) ? infinite : 0);
  if (std::fabs(y) < 0x1p-70) return sign;
  return sign * rounded_exponential(DoubleDouble{y} * logarithm({size}));
}

double cbrt(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  return std::copysign(rounded_exponential(logarithm({std::fabs(x)}) / DoubleDouble{3}), x);
}

double hypot(double x, double y) { return length_of({x, y}); }
double hypot(double x, double y, double z) { return length_of({x, y, z}); }

// (e^x - e^-x) / 2 = (g + g / (1 + g)) / 2,  g = e^x - 1
double sinh(double x) {
  const double size = std::fabs(x);
  if (size < tiny || !std::isfinite(x)) return x;
  if (size > 711) return std::copysign(infinite, x);
  if (size > 40) {
    const Exponential e = exponential({size});
    return std::copysign(scaled(e.value.high, e.power - 1), x);
  }
  const DoubleDouble growth = growth_of(size);
  return std::copysign(0.5 * (growth + growth / (one + growth)).high, x);
}

double cosh(double x) {
  const double size = std::fabs(x);
  if (!std::isfinite(x)) return size;
  if (size > 711) return infinite;
  const Exponential e = exponential({size});
  if (size > 40) return scaled(e.value.high, e.power - 1);
  const DoubleDouble plain = times_power(e.value, power_of_two(e.power));
  return 0.5 * (plain + one / plain).high;
}

// g / (g + 2),  g = e^2x - 1
double tanh(double x) {
  const double size = std::fabs(x);
  if (size < tiny || std::isnan(x)) return x;
  if (size > 20) return std::copysign(1, x);
  const DoubleDouble growth = growth_of(2 * size);
  return std::copysign((growth / (growth + DoubleDouble{2})).high, x);
}

double erfc(double x) {
  if (std::isnan(x)) return x;
  if (x < -6) return 2;
  if (x > 27.5) return 0;
  const DoubleDouble square = exact_product(x, x);
  if (x < 3) {
    // erf(x) = 2/√π (x - x³/3 + x⁵/(2! 5) - x⁷/(3! 7) + …)
    DoubleDouble sum, power{x};
    for (int n = 0; std::fabs(power.high) > 1e-36; ++n) {
      sum = sum + power / DoubleDouble{static_cast<double>(2 * n + 1)};
      power = power * -square / DoubleDouble{static_cast<double>(n + 1)};
    }
    return (one - times_power(sum * inverse_root_pi, 2)).high;
  }
  // e^(-x²)/√π / (x + (1/2)/(x + 1/(x + (3/2)/(x + …))))
  DoubleDouble below{x};
  for (int n = 60; n > 0; --n) below = DoubleDouble{x} + DoubleDouble{0.5 * n} / below;
  const Exponential e = exponential(-square);
  return scaled((e.value * inverse_root_pi / below).high, e.power);
}

}  // namespace fovea::math
