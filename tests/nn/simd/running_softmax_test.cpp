#include "fovea/nn/simd/running_softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

template <class T>
class RunningSoftmaxTest : public ::testing::Test {};
using SoftmaxScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RunningSoftmaxTest, SoftmaxScalars);

template <class T>
constexpr double accuracy = std::is_same_v<T, float> ? 2e-5 : 1e-12;

constexpr double nothing = -std::numeric_limits<double>::infinity();

// Rows of any length, taken in one after the other; similarities that rise, fall, jump and are not there.
template <class T>
struct Scene {
  explicit Scene(std::uint64_t seed, std::size_t columns) : columns(columns) {
    RandomStream stream(seed, "scene");
    const auto count = static_cast<std::size_t>(1 + stream.integer(900));
    const double spread = seed % 3 == 0 ? 60 : 2;
    for (std::size_t i = 0; i < count; ++i) {
      const bool absent = stream.integer(10) == 0 || (seed % 4 == 0 && i < 300);
      s.push_back(static_cast<T>(absent ? nothing : spread * stream.uniform(-1, 1) + 1e-3 * static_cast<double>(i)));
    }
    for (std::size_t i = 0; i < columns * count; ++i) values.push_back(static_cast<T>(stream.uniform(-1, 1)));
  }
  ValueColumns<T> from(std::size_t begin) const {
    return {columns == 0 ? nullptr : values.data() + begin, static_cast<std::ptrdiff_t>(s.size()), columns};
  }
  std::size_t columns;
  std::vector<T> s, values;
};

TYPED_TEST(RunningSoftmaxTest, SumsWhatIsWrittenOut) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t columns = seed % 4;
    const Scene<T> scene(seed, columns);
    const std::size_t count = scene.s.size();
    T high = -std::numeric_limits<T>::infinity();
    std::vector<T> sums(columns + 1), slopes(columns + 1), weights = scene.s;
    for (std::size_t begin = 0, length = 0; begin < count; begin += length) {
      length = std::min<std::size_t>(count - begin, 1 + (seed * 37 + begin) % most_similarities);
      const T shrink =
          take_in({&high, sums.data(), slopes.data()}, std::span<T>(weights).subspan(begin, length), scene.from(begin));
      for (std::size_t i = 0; i < begin; ++i) weights[i] *= shrink;
    }

    double highest = nothing, total = 0;
    for (const T s : scene.s) highest = std::max(highest, static_cast<double>(s));
    EXPECT_EQ(static_cast<double>(high), highest);
    for (std::size_t c = 0; c <= columns; ++c) {
      double sum = 0, slope = 0;
      for (std::size_t i = 0; i < count && highest > nothing; ++i) {
        const double below = std::max(static_cast<double>(scene.s[i]) - highest, -800.0), w = std::exp(below);
        const double value = c == columns ? 1 : static_cast<double>(scene.values[c * count + i]);
        sum += w * value;
        slope += w * below * value;
        total += c == columns ? w : 0;
        EXPECT_NEAR(static_cast<double>(weights[i]), w, accuracy<T>);
      }
      EXPECT_NEAR(static_cast<double>(sums[c]), sum, accuracy<T> * (1 + total));
      EXPECT_NEAR(static_cast<double>(slopes[c]), slope, 10 * accuracy<T> * (1 + total));
    }

    // The same sums, to the bit, where nobody wants the slopes.
    T again = -std::numeric_limits<T>::infinity();
    std::vector<T> alone(columns + 1), row = scene.s;
    for (std::size_t begin = 0, length = 0; begin < count; begin += length) {
      length = std::min<std::size_t>(count - begin, 1 + (seed * 37 + begin) % most_similarities);
      take_in({&again, alone.data(), nullptr}, std::span<T>(row).subspan(begin, length), scene.from(begin));
    }
    EXPECT_EQ(alone, sums);
  }
}

TYPED_TEST(RunningSoftmaxTest, WhatIsNoNumberShows) {
  using T = TypeParam;
  for (const std::size_t at : {0u, 5u, 19u}) {
    for (const double others : {0.0, nothing}) {
      std::vector<T> s(20, static_cast<T>(others));
      s[at] = std::numeric_limits<T>::quiet_NaN();
      const std::vector<T> values(20, T{1});
      T high = -std::numeric_limits<T>::infinity();
      std::vector<T> sums(2);
      take_in({&high, sums.data(), nullptr}, std::span<T>(s), {values.data(), 20, 1});
      EXPECT_TRUE(std::isnan(sums[1])) << at << " " << others;
    }
  }
}

}  // namespace
}  // namespace fovea
