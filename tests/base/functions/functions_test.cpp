// Each function against the C library's of long double (11 more bits), in units in the last place of the result; and the
// special values of C's Annex F.
#include "fovea/base/functions/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

using Long = long double;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double bound = 0.8;

// |found - truth| in units in the last place of the truth.
double units_off(double found, Long truth) {
  const auto rounded = static_cast<double>(truth);
  if (std::isinf(rounded) || std::isinf(found)) return found == rounded ? 0 : inf;
  const int exponent = std::max(std::ilogb(truth == 0 ? Long{least} : truth), -1022);
  return static_cast<double>(std::abs(found - truth) / std::ldexp(Long{1}, exponent - 52));
}

struct Case {
  std::string name;
  std::function<double(double)> found;
  std::function<Long(Long)> truth;
  std::vector<std::pair<double, double>> ranges;  // drawn from evenly
  std::vector<std::pair<double, double>> sizes;   // drawn from on a logarithmic scale
};

std::vector<Case> cases() {
#define FOVEA_CASE(name) #name, [](double x) { return math::name(x); }, [](Long x) { return std::name(x); }
  const std::pair<double, double> all{least, most};
  return {
      {FOVEA_CASE(exp), {{-1, 1}, {-746, 710}, {-746, -708}}, {{1e-300, 1}}},
      {FOVEA_CASE(exp2), {{-1, 1}, {-1076, 1025}}, {}},
      {FOVEA_CASE(expm1), {{-1, 1}, {-70, 710}}, {{least, 1}, {-least, -1}}},
      {FOVEA_CASE(log), {{0.5, 2}, {0.98, 1.02}}, {all}},
      {FOVEA_CASE(log2), {{0.5, 2}, {0.98, 1.02}}, {all}},
      {FOVEA_CASE(log10), {{0.5, 2}, {0.98, 1.02}}, {all}},
      {FOVEA_CASE(log1p), {{-1, 1}, {-1e-3, 1e-3}}, {all, {-least, -0.999}}},
      {FOVEA_CASE(cbrt), {{-9, 9}}, {all}},
      {FOVEA_CASE(sin), {{-7, 7}, {-1e4, 1e4}}, {all}},
      {FOVEA_CASE(cos), {{-7, 7}, {-1e4, 1e4}}, {all}},
      {FOVEA_CASE(sinh), {{-3, 3}, {-711, 711}}, {{least, 1}}},
      {FOVEA_CASE(cosh), {{-3, 3}, {-711, 711}}, {}},
      {FOVEA_CASE(tanh), {{-3, 3}, {-25, 25}}, {{least, 1}}},
      {FOVEA_CASE(erfc), {{-7, 3}, {3, 28}}, {{1e-300, 1}}},
      {"pow(x, 0.8)",
       [](double x) { return math::pow(x, 0.8); },
       [](Long x) { return std::pow(x, Long{0.8}); },
       {{0, 9}},
       {all}},
      {"pow(0.999, x)",
       [](double x) { return math::pow(0.999, x); },
       [](Long x) { return std::pow(Long{0.999}, x); },
       {{-7e5, 7.4e5}},
       {}},
      {"pow(x, -37.5)",
       [](double x) { return math::pow(x, -37.5); },
       [](Long x) { return std::pow(x, Long{-37.5}); },
       {{0.5, 2}},
       {{1e-8, 1e9}}},
      {"hypot(x, 1.25)",
       [](double x) { return math::hypot(x, 1.25); },
       [](Long x) { return std::hypot(x, Long{1.25}); },
       {{-9, 9}},
       {all}},
      {"hypot(x, least, -x)",
       [](double x) { return math::hypot(x, least, -x); },
       [](Long x) { return std::hypot(x, Long{least}, x); },
       {},
       {{least, 1e308}}},
  };
#undef FOVEA_CASE
}

TEST(Functions, AreWithinAUnitOfTheTruth) {
  for (const Case& c : cases()) {
    RandomStream stream(7, "functions");
    double worst = 0, at = 0;
    const auto check = [&](double x) {
      const double off = units_off(c.found(x), c.truth(x));
      if (off > worst) worst = off, at = x;
    };
    for (int i = 0; i < 20000; ++i) {
      for (const auto& [low, high] : c.ranges) check(stream.uniform(low, high));
      for (const auto& [low, high] : c.sizes) {
        const double power = stream.uniform(std::log2(std::abs(low)), std::log2(std::abs(high)));
        check(std::copysign(std::min(std::exp2(power), most), low));
      }
    }
    EXPECT_LT(worst, bound) << c.name << " at " << at;
    EXPECT_TRUE(std::isnan(c.found(nan))) << c.name;
  }
}

TEST(Functions, AreExactWhereTheTruthIs) {
  for (int n = -1074; n <= 1023; ++n) {
    EXPECT_EQ(math::exp2(n), std::ldexp(1.0, n));
    EXPECT_EQ(math::log2(std::ldexp(1.0, n)), n);
    EXPECT_EQ(math::pow(2, n), std::ldexp(1.0, n));
  }
  double power = 1;
  for (int n = 0; n <= 22; ++n, power *= 10) {
    EXPECT_EQ(math::pow(10, n), power);
    EXPECT_EQ(math::log10(power), n);
  }
  for (int n = -100; n <= 100; ++n) EXPECT_EQ(math::cbrt(n * n * n), n);
  EXPECT_EQ(math::hypot(3, -4), 5);
  EXPECT_EQ(math::hypot(2, 3, -6), 7);
  EXPECT_EQ(math::exp(0), 1);
  EXPECT_EQ(math::log(1), 0);
  EXPECT_EQ(math::cos(0), 1);
  EXPECT_EQ(math::erfc(0), 1);
}

// Equal, the sign of zero included; or both NaN.
::testing::AssertionResult same(double found, double wanted) {
  if ((std::isnan(found) && std::isnan(wanted)) || (found == wanted && std::signbit(found) == std::signbit(wanted))) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << found << ", not " << wanted;
}

TEST(Functions, HaveTheSpecialValuesOfC) {
  for (const Case& c : cases()) {
    if (c.name.find('(') != std::string::npos) continue;
    for (const double x : {0.0, -0.0, inf, -inf, least, -least, most, -most, -1.0, 1.0, -2.0}) {
      const auto truth = static_cast<double>(c.truth(x));
      if (std::isnan(truth) || std::isinf(truth) || truth == 0) {
        EXPECT_TRUE(same(c.found(x), truth)) << c.name << " of " << x;
      } else {
        EXPECT_LT(units_off(c.found(x), c.truth(x)), bound) << c.name << " of " << x;
      }
    }
  }
}

TEST(Functions, PowersHaveTheSpecialValuesOfC) {
  const double numbers[] = {0.0, -0.0, 1.0, -1.0, 0.5,   -0.5,  2.0,    -2.0,   3.0,     -3.0,       1.5,   -1.5,
                            inf, -inf, nan, most, -most, least, -least, 0x1p53, -0x1p53, 0x1p53 + 2, 1e300, -1e300};
  for (const double x : numbers) {
    for (const double y : numbers) {
      const double truth = std::pow(x, y);
      if (std::isfinite(truth) && truth != 0) {
        EXPECT_LT(units_off(math::pow(x, y), std::pow(Long{x}, Long{y})), bound) << x << " ^ " << y;
      } else {
        EXPECT_TRUE(same(math::pow(x, y), truth)) << x << " ^ " << y;
      }
      EXPECT_TRUE(std::isnan(std::hypot(x, y)) ? std::isnan(math::hypot(x, y))
                                               : units_off(math::hypot(x, y), std::hypot(Long{x}, Long{y})) < bound)
          << "hypot of " << x << " and " << y;
    }
  }
}

TEST(Functions, OfFloatsAreThoseOfDoublesRoundedOnce) {
  RandomStream stream(8, "functions");
  for (int i = 0; i < 10000; ++i) {
    const auto x = static_cast<float>(stream.uniform(-9, 9));
    const double wide{x};
    EXPECT_EQ(math::exp(x), static_cast<float>(math::exp(wide)));
    EXPECT_EQ(math::tanh(x), static_cast<float>(math::tanh(wide)));
    EXPECT_EQ(math::log(std::abs(x)), static_cast<float>(math::log(std::abs(wide))));
    EXPECT_EQ(math::log1p(std::abs(x)), static_cast<float>(math::log1p(std::abs(wide))));
  }
}

}  // namespace
}  // namespace fovea
