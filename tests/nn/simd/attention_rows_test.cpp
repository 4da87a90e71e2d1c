#include "fovea/nn/simd/attention_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

using attention_rows::row_grain;
using attention_rows::Rows;
using attention_rows::stride_of;

// Rows from position `begin` on, with room before them, of numbers everywhere.
template <class T>
struct SomeRows {
  SomeRows(std::uint64_t seed, Index begin, Index count)
      : stride(stride_of(begin + count)),
        all(static_cast<std::size_t>(row_grain + stride * count)),
        positions(static_cast<std::size_t>(count)) {
    RandomStream stream(seed, "rows");
    for (T& x : all) x = static_cast<T>(static_cast<float>(stream.uniform(-2, 2)));
    std::iota(positions.begin(), positions.end(), static_cast<int>(begin));
    rows = {all.data() + row_grain, count, stride, positions.data()};
  }
  Index stride;
  std::vector<T> all;
  std::vector<int> positions;
  Rows<T> rows;
};

// What a function makes of floats, beside what the plain loops make of the same numbers as doubles.
template <class Function>
void expect_alike(Function function) {
  for (const Index begin : {0, 5, 16, 32, 64})
    for (const Index count : {1, 4, 16, 31}) {
      SCOPED_TRACE(::testing::Message() << begin << " " << count);
      SomeRows<float> x(1, begin, count), y(2, begin, count);
      SomeRows<double> wide_x(1, begin, count), wide_y(2, begin, count);
      function(x.rows, static_cast<const float*>(y.rows.first), 0.7f);
      function(wide_x.rows, static_cast<const double*>(wide_y.rows.first), static_cast<double>(0.7f));
      for (Index r = 0; r < count; ++r)
        for (Index j = 0; j < x.stride; ++j) {
          ASSERT_NEAR(x.rows.row(r)[j], wide_x.rows.row(r)[j], 1e-5) << r << " " << j;
          if (j <= begin + r) continue;
          ASSERT_EQ(x.rows.row(r)[j], 0) << r << " " << j;
        }
    }
}

TEST(AttentionRows, FloatsAreWhatThePlainLoopsSay) {
  using namespace attention_rows;
  expect_alike([](auto rows, auto* shifts, auto scale) { score_rows(rows, scale, shifts); });
  expect_alike([](auto rows, auto*, auto scale) { score_rows(rows, scale, nullptr); });
  expect_alike([](auto rows, auto* shifts, auto scale) { softmax_rows(rows, scale, shifts); });
  expect_alike([](auto rows, auto*, auto scale) { softmax_rows(rows, scale, nullptr); });
  expect_alike([](auto rows, auto* weights, auto scale) { softmax_slopes(rows, weights, scale * scale / 10); });
  expect_alike([](auto rows, auto* from, auto) { by_distance(rows, from); });
}

TEST(AttentionRows, ANumberThatIsNoneIsSeenInItsWholeRow) {
  SomeRows<float> x(1, 20, 2);
  x.rows.row(0)[3] = std::nanf("");
  attention_rows::softmax_rows(x.rows, 1.0f, nullptr);
  for (Index j = 0; j <= 20; ++j) EXPECT_TRUE(std::isnan(x.rows.row(0)[j])) << j;
  EXPECT_EQ(x.rows.row(0)[21], 0);
  EXPECT_FALSE(std::isnan(x.rows.row(1)[3]));
}

}  // namespace
}  // namespace fovea
