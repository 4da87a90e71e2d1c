// The float functions against the C library's double ones, under every instruction set this machine has.
#include "fovea/math/vector_math.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/random.h"
#include "fovea/math/simd.h"

namespace fovea {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Runs `check` once per target, then leaves the choice as it was.
template <class Check>
void under_every_target(Check check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    ASSERT_STREQ(simd_target(), hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

// How many units in the last place of the float nearest the truth.
double ulps(float got, double truth) {
  const float nearest = static_cast<float>(truth);
  if (std::isnan(truth)) return std::isnan(got) ? 0.0 : kInfinity;
  if (got == nearest) return 0.0;  // infinities too
  if (!std::isfinite(got) || !std::isfinite(nearest)) return kInfinity;
  const int exponent = truth == 0.0 ? -126 : std::max(std::ilogb(truth), -126);
  return std::abs(static_cast<double>(got) - truth) / std::ldexp(1.0, exponent - 23);
}

// Floats of every exponent and both signs, and the special ones.
std::vector<float> samples() {
  constexpr int kPerExponent = 4000;
  RandomStream random(1, "ulp-test");
  std::vector<float> all = {0.0f, -0.0f, kInfinity, -kInfinity, kNan};
  for (std::uint32_t top = 0; top < 512; ++top) {
    if ((top & 255u) == 255u) continue;  // infinities and NaN
    all.push_back(std::bit_cast<float>(top << 23));
    for (int i = 1; i < kPerExponent; ++i) {
      all.push_back(std::bit_cast<float>((top << 23) | static_cast<std::uint32_t>(random.integer(1u << 23))));
    }
  }
  // Where the functions turn: results overflow, become subnormal, vanish, or come to stand at 1.
  for (const double centre : {88.72, -87.33, -103.97, 9.01, -9.01, 16.6, 0.3466, -0.3466}) {
    for (int i = 0; i < 20000; ++i) all.push_back(static_cast<float>(centre + random.uniform(-0.2, 0.2)));
  }
  for (int i = 0; i < 400000; ++i) all.push_back(static_cast<float>(random.uniform(-105.0, 105.0)));
  return all;
}

using FloatFunction = void (*)(std::span<const float>, std::span<float>);

void check_ulps(FloatFunction function, const std::function<double(double)>& exact) {
  const std::vector<float> in = samples();
  std::vector<double> truth(in.size());
  std::transform(in.begin(), in.end(), truth.begin(), [&](float x) { return exact(static_cast<double>(x)); });
  std::vector<float> out(in.size());
  under_every_target([&] {
    function(in, out);
    double worst = 0.0;
    float at = 0.0f;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double error = ulps(out[i], truth[i]);
      if (error > worst) worst = error, at = in[i];
    }
    EXPECT_LE(worst, 4.0) << "at " << at;
    ::testing::Test::RecordProperty(std::string("worst_ulps_") + simd_target(), std::to_string(worst));
  });
}

double exact_sigmoid(double x) { return x < 0.0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x)); }

TEST(VectorMath, ExpIsWithinFourUlps) {
  check_ulps(&exp, [](double x) { return std::exp(x); });
}
TEST(VectorMath, TanhIsWithinFourUlps) {
  check_ulps(&tanh, [](double x) { return std::tanh(x); });
}
TEST(VectorMath, SigmoidIsWithinFourUlps) { check_ulps(&sigmoid, exact_sigmoid); }

TEST(VectorMath, TanhKeepsTheSignOfZeroAndStaysWithinOne) {
  under_every_target([] {
    std::vector<float> x = {0.0f, -0.0f, 1e-40f, -1e-40f, 9.0f, 100.0f, -kInfinity};
    const std::vector<float> in = x;
    tanh(x, x);  // in place
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(std::signbit(x[i]), std::signbit(in[i]));
      EXPECT_LE(std::abs(x[i]), 1.0f);
    }
    EXPECT_EQ(x[2], 1e-40f);
    EXPECT_EQ(x[6], -1.0f);
  });
}

// An element's value must not depend on its place: whole vectors and the odd end are one function.
TEST(VectorMath, ValueDoesNotDependOnPlace) {
  RandomStream random(2, "place-test");
  std::vector<float> in(67);
  for (float& x : in) x = static_cast<float>(random.uniform(-20.0, 20.0));
  under_every_target([&] {
    for (const FloatFunction function : {FloatFunction(&exp), FloatFunction(&tanh), FloatFunction(&sigmoid)}) {
      std::vector<float> whole(in.size());
      function(in, whole);
      for (std::size_t count = 0; count <= in.size(); ++count) {
        std::vector<float> part(count + 1, 7.0f);
        const std::size_t from = in.size() - count;
        function(std::span(in).subspan(from), std::span(part).first(count));
        EXPECT_TRUE(std::equal(part.begin(), part.end() - 1, whole.begin() + static_cast<std::ptrdiff_t>(from)));
        EXPECT_EQ(part.back(), 7.0f);
      }
    }
  });
}

template <class T>
class Rows : public ::testing::Test {};
using RowTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Rows, RowTypes);

template <class T>
std::vector<T> softmax_of(const std::vector<T>& in) {
  std::vector<T> out(in.size());
  softmax(std::span<const T>(in), std::span<T>(out));
  return out;
}

template <class T>
T log_sum_exp_of(const std::vector<T>& in) {
  return log_sum_exp(std::span<const T>(in));
}

template <class T>
std::vector<T> random_row(std::size_t count, double scale, RandomStream& random) {
  std::vector<T> row(count);
  for (T& x : row) x = static_cast<T>(scale * random.normal());
  return row;
}

TYPED_TEST(Rows, SoftmaxIsTheDefinition) {
  using T = TypeParam;
  under_every_target([] {
    RandomStream random(3, "softmax-test");
    const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t count = 1; count < 70; ++count) {
      const std::vector<T> in = random_row<T>(count, 5.0, random), out = softmax_of(in);
      long double sum = 0.0L, total = 0.0L;
      for (const T x : in) sum += std::exp(static_cast<long double>(x));
      for (std::size_t i = 0; i < count; ++i) {
        const double truth = static_cast<double>(std::exp(static_cast<long double>(in[i])) / sum);
        // in - max is rounded, which exp turns into a relative error of that size
        EXPECT_NEAR(out[i], truth, 32.0 * epsilon * truth);
        total += out[i];
      }
      EXPECT_NEAR(static_cast<double>(total), 1.0, 16.0 * epsilon);
      EXPECT_NEAR(log_sum_exp_of(in), static_cast<double>(std::log(sum)), 16.0 * epsilon * 16.0);
    }
  });
}

TYPED_TEST(Rows, SoftmaxDoesNotFeelAShift) {
  using T = TypeParam;
  under_every_target([] {
    RandomStream random(4, "softmax-test");
    std::vector<T> in(37);
    for (T& x : in) x = static_cast<T>(random.integer(64)) / T{8};  // so that the shift is exact
    std::vector<T> shifted = in;
    for (T& x : shifted) x += T{1024};
    EXPECT_EQ(softmax_of(in), softmax_of(shifted));
    EXPECT_NEAR(log_sum_exp_of(in) + T{1024}, log_sum_exp_of(shifted), 1e-3);
  });
}

TYPED_TEST(Rows, MinusInfinityWeighsNothing) {
  using T = TypeParam;
  static constexpr T kNone = -std::numeric_limits<T>::infinity();
  under_every_target([] {
    for (const std::size_t count : {1u, 2u, 16u, 40u}) {
      std::vector<T> in(count, kNone);
      EXPECT_EQ(softmax_of(in), std::vector<T>(count, T{0}));
      EXPECT_EQ(log_sum_exp_of(in), kNone);
      in.back() = T{3};
      std::vector<T> expected(count, T{0});
      expected.back() = T{1};
      EXPECT_EQ(softmax_of(in), expected);
      EXPECT_EQ(log_sum_exp_of(in), T{3});
    }
    EXPECT_TRUE(softmax_of(std::vector<T>()).empty());
    EXPECT_EQ(log_sum_exp_of(std::vector<T>()), kNone);
  });
}

TYPED_TEST(Rows, NanMakesTheRowNan) {
  using T = TypeParam;
  static constexpr T kBad = std::numeric_limits<T>::quiet_NaN();
  under_every_target([] {
    for (const T others : {T{1}, -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::max()}) {
      for (std::size_t at = 0; at < 35; ++at) {
        std::vector<T> in(35, others);
        in[at] = kBad;
        for (const T p : softmax_of(in)) EXPECT_TRUE(std::isnan(p)) << at;
        EXPECT_TRUE(std::isnan(log_sum_exp_of(in))) << at;
      }
    }
  });
}

TYPED_TEST(Rows, HugeEntriesDoNotOverflow) {
  using T = TypeParam;
  static constexpr T kMost = std::numeric_limits<T>::max();
  under_every_target([] {
    const std::vector<T> out = softmax_of(std::vector<T>{kMost, -kMost, kMost, T{0}});
    EXPECT_EQ(out, (std::vector<T>{T{0.5}, T{0}, T{0.5}, T{0}}));
    EXPECT_EQ(log_sum_exp_of(std::vector<T>{kMost, -kMost}), kMost);
    EXPECT_EQ(log_sum_exp_of(std::vector<T>{-kMost, -kMost}), -kMost);
  });
}

TYPED_TEST(Rows, DotAndAddScaled) {
  using T = TypeParam;
  under_every_target([] {
    RandomStream random(5, "dot-test");
    const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t count = 0; count < 150; ++count) {
      const std::vector<T> a = random_row<T>(count, 1.0, random), b = random_row<T>(count, 1.0, random);
      long double truth = 0.0L, size = 0.0L;
      for (std::size_t i = 0; i < count; ++i) {
        const long double term = static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
        truth += term;
        size += std::abs(term);
      }
      const double bound = epsilon * static_cast<double>(size) * (static_cast<double>(count) + 1.0) / 2.0;
      EXPECT_NEAR(dot(std::span<const T>(a), std::span<const T>(b)), static_cast<double>(truth), bound);
      std::vector<T> sum = b;
      add_scaled(T{0.5}, std::span<const T>(a), std::span<T>(sum));
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(sum[i], b[i] + T{0.5} * a[i]);
    }
  });
}

void print_target_and_leave() {
  std::cerr << simd_target();
  std::exit(0);
}

// In a process of its own: the choice is made once.
TEST(SimdDeathTest, EnvironmentCapsTheInstructionSet) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = hwy::TargetName(target);
    ASSERT_EQ(setenv("FOVEA_SIMD", name.c_str(), 1), 0);
    EXPECT_EXIT(print_target_and_leave(), ::testing::ExitedWithCode(0), "^" + name + "$");
  }
  ASSERT_EQ(setenv("FOVEA_SIMD", "abacus", 1), 0);
  EXPECT_EXIT(
      {
        try {
          choose_simd();
        } catch (const Error& error) {
          std::cerr << error.problem().text();
          std::exit(error.exit_code());
        }
      },
      ::testing::ExitedWithCode(2), "FOVEA_SIMD is 'abacus'");
  ASSERT_EQ(unsetenv("FOVEA_SIMD"), 0);
}

}  // namespace
}  // namespace fovea
