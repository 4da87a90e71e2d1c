// Products against a naive one in a longer type.
#include "fovea/math/matmul.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "fovea/base/arena.h"
#include "fovea/base/random.h"
#include "fovea/math/packed.h"

namespace fovea {
namespace {
// A stored matrix with room at the end of each row, filled with something a product must not touch or use.
template <class T>
struct Stored {
  std::vector<T> values;
  Index rows, columns, stride;
  bool transposed;

  Stored(Index seen_rows, Index seen_columns, bool transposed, Index room, RandomStream& random)
      : rows(seen_rows), columns(seen_columns), transposed(transposed) {
    const Index lines = transposed ? columns : rows, length = transposed ? rows : columns;
    stride = length + room;
    values.assign(static_cast<std::size_t>(lines * stride), std::numeric_limits<T>::quiet_NaN());
    for (Index i = 0; i < lines; ++i) {
      for (Index j = 0; j < length; ++j)  // of variance 1
        values[static_cast<std::size_t>(i * stride + j)] = static_cast<T>((2 * random.uniform() - 1) * std::sqrt(3.0));
    }
  }
  Operand<T> operand() const { return {values.data(), rows, columns, stride, transposed}; }
  double at(Index i, Index j) const {
    return static_cast<double>(values[static_cast<std::size_t>(transposed ? j * stride + i : i * stride + j)]);
  }
  template <class Long>
  std::vector<Long> rows_as() const {
    std::vector<Long> all;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) all.push_back(at(i, j));
    }
    return all;
  }
  template <class Long>
  std::vector<Long> columns_as() const {
    std::vector<Long> all;
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) all.push_back(at(i, j));
    }
    return all;
  }
};

struct Shape {
  Index m, k, n;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const Index m : {0, 1, 3, 14, 15, 29}) {
    for (const Index k : {0, 1, 7, 64}) {
      for (const Index n : {0, 1, 15, 16, 33, 48}) all.push_back({m, k, n});
    }
  }
  for (const Shape s :
       {Shape{131, 259, 70}, Shape{1, 513, 130}, Shape{130, 600, 1}, Shape{40, 520, 97}, Shape{16, 256, 1024},
        Shape{20, 1024, 65}, Shape{257, 130, 40}, Shape{5, 520, 700}, Shape{130, 1100, 40}, Shape{3, 1030, 1200}}) {
    all.push_back(s);
  }
  return all;
}

// Each of k additions rounds a partial sum of size sqrt(k): the errors add up to about epsilon k, at most a few times
// that.
template <class T>
double tolerance(Products products, Index k) {
  return 4.0 * rounding_of<T>(products) * (static_cast<double>(k) + 8.0);
}

// Runs `product(products, a, b, c, into, stride)` over shapes, layouts and both ways into c.
template <class T>
using Product = void(Products, Operand<T>, Operand<T>, Matrix<T>, Into, Index);
template <class T>
void check_products(Product<T> product, Products products = Products::full) {
  RandomStream random(1, "matmul-test");
  for (const Shape& s : shapes()) {
    for (int layout = 0; layout < 4; ++layout) {
      for (const Into into : {Into::overwrite, Into::add}) {
        const auto room = [&] { return static_cast<Index>(random.integer(2) * random.integer(20)); };
        const Stored<T> a(s.m, s.k, (layout & 1) != 0, room(), random), b(s.k, s.n, (layout & 2) != 0, room(), random);
        const bool roomy = random.integer(2) == 1;
        Stored<T> c(s.m, s.n, false, roomy ? 5 : 0, random);
        const Stored<T> before = c;
        if (into == Into::overwrite) {  // what stood there, NaN even, must not matter
          std::fill(c.values.begin(), c.values.end(), std::numeric_limits<T>::quiet_NaN());
        }
        product(products, a.operand(), b.operand(), Matrix<T>(c.values.data(), s.m, s.n), into, roomy ? c.stride : 0);
        using Long = std::conditional_t<std::is_same_v<T, float>, double, long double>;
        const std::vector<Long> left = a.template rows_as<Long>(), right = b.template columns_as<Long>();
        double worst = 0.0;
        for (Index i = 0; i < s.m; ++i) {
          for (Index j = 0; j < s.n; ++j) {
            const Long start = into == Into::add ? before.at(i, j) : 0.0;
            const Long sum = std::inner_product(left.begin() + i * s.k, left.begin() + (i + 1) * s.k,
                                                right.begin() + j * s.k, start);
            const double error = static_cast<double>(std::abs(sum - static_cast<Long>(c.at(i, j))));
            worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
          }
          for (Index j = s.n; j < c.stride; ++j) {
            ASSERT_TRUE(std::isnan(c.at(i, j))) << "wrote past a row of c";
          }
        }
        ASSERT_LE(worst, tolerance<T>(products, s.k))
            << s.m << " x " << s.k << " x " << s.n << ", layout " << layout << ", add " << (into == Into::add);
      }
    }
  }
}

template <class T>
void packed(Products products, Operand<T> a, Operand<T> b, Matrix<T> c, Into into, Index c_stride) {
  Arena arena;
  matmul_packed(a, pack(arena, products, b), c, into, c_stride);
}

TEST(Matmul, AgreesWithNaiveProductInFloat) { check_products<float>(matmul<float>); }
TEST(Matmul, AgreesWithNaiveProductInDouble) { check_products<double>(matmul<double>); }
TEST(Packed, AgreesWithNaiveProductInDouble) { check_products<double>(packed<double>); }

TEST(Matmul, AgreesWithNaiveProductInThreeTerms) { check_products<float>(matmul<float>, Products::bf16x3); }

// Two terms would leave the errors of bfloat16 itself, and all four those of float.
TEST(Matmul, InThreeTermsErrsByWhatTheyLeaveOut) {
  constexpr Index kM = 48, kK = 256, kN = 64;
  RandomStream random(4, "matmul-test");
  const Stored<float> a(kM, kK, false, 0, random), b(kK, kN, false, 0, random);
  std::vector<float> full(kM * kN), split(kM * kN);
  matmul(a.operand(), b.operand(), Matrix<float>(full.data(), kM, kN));
  matmul(Products::bf16x3, a.operand(), b.operand(), Matrix<float>(split.data(), kM, kN));
  const auto in_bf16 = [](double x) {
    int power = 0;
    const double mantissa = std::frexp(x, &power);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), power - 8);
  };
  double squares = 0, of_full = 0, of_split = 0, of_one_term = 0;
  for (Index i = 0; i < kM; ++i) {
    for (Index j = 0; j < kN; ++j) {
      double sum = 0, one_term = 0;
      for (Index k = 0; k < kK; ++k) {
        sum += a.at(i, k) * b.at(k, j);
        one_term += in_bf16(a.at(i, k)) * in_bf16(b.at(k, j));
      }
      const auto n = static_cast<std::size_t>(i * kN + j);
      squares += sum * sum;
      of_full += (full[n] - sum) * (full[n] - sum);
      of_split += (split[n] - sum) * (split[n] - sum);
      of_one_term += (one_term - sum) * (one_term - sum);
    }
  }
  const double error = std::sqrt(of_split / squares);
  EXPECT_LE(error, 1e-5);
  EXPECT_LE(error, std::sqrt(of_one_term / squares) / 100);
  EXPECT_GE(error, 4 * std::sqrt(of_full / squares));
}

TEST(Packed, AgreesWithNaiveProductInFloatUnderEveryTarget) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check_products<float>(packed<float>);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Matmul, TakesViews) {
  const float a[] = {1, 2, 3, 4, 5, 6};  // 2 x 3
  float c[9];
  matmul(transposed(Matrix<const float>(a, 2, 3)), plain(Matrix<const float>(a, 2, 3)), Matrix<float>(c, 3, 3));
  EXPECT_EQ(c[0], 17.0f);
  EXPECT_EQ(c[5], 36.0f);
}

// Rows that lie apart, in an order of their own: the same bits as of a matrix whose rows follow one another.
template <class T>
void check_lines(Shape shape) {
  RandomStream random(4, "matmul-test");
  for (const bool turned_a : {false, true})
    for (const bool turned_b : {false, true}) {
      SCOPED_TRACE(::testing::Message() << shape.m << " " << shape.k << " " << shape.n << " " << turned_a << turned_b);
      const Stored<T> a(shape.m, shape.k, turned_a, 0, random), b(shape.k, shape.n, turned_b, 0, random);
      std::vector<T> expected(static_cast<std::size_t>(shape.m * shape.n)), got(expected.size());
      matmul(a.operand(), b.operand(), Matrix<T>(expected.data(), shape.m, shape.n));
      std::vector<std::vector<T>> kept;
      std::vector<const T*> places;
      const auto apart = [&](const Stored<T>& matrix) {
        Operand<T> operand = matrix.operand();
        kept.assign(matrix.values.size() / static_cast<std::size_t>(matrix.stride), {T{9}, T{9}, T{9}});
        places.assign(kept.size(), nullptr);
        for (std::size_t line = kept.size(); line-- > 0;) {
          const T* const from = operand.line(static_cast<Index>(line));
          kept[line].insert(kept[line].end(), from, from + matrix.stride);
          places[line] = kept[line].data();
        }
        operand.data = nullptr;
        operand.lines = places.data();
        operand.first = 3;
        return operand;
      };
      matmul(apart(a), b.operand(), Matrix<T>(got.data(), shape.m, shape.n));
      EXPECT_EQ(got, expected) << "rows of a apart";
      matmul(a.operand(), apart(b), Matrix<T>(got.data(), shape.m, shape.n));
      EXPECT_EQ(got, expected) << "rows of b apart";
    }
}

TEST(Matmul, TakesRowsFromWhereTheyAre) {
  for (const Shape shape : {Shape{1, 7, 40}, Shape{40, 7, 2}, Shape{29, 64, 33}, Shape{131, 530, 83},
                            Shape{131, 1100, 33}, Shape{5, 520, 700}}) {
    check_lines<float>(shape);
    check_lines<double>(shape);
  }
}

// Cutting the rows among threads must change no bit: a row alone, or in any block, gives what it gives among all.
template <class T>
void check_rows_stand_alone(bool transposed_a, Products products = Products::full) {
  RandomStream random(2, "matmul-test");
  constexpr Index kM = 131, kK = 530, kN = 83;
  const Stored<T> a(kM, kK, transposed_a, 0, random), b(kK, kN, false, 0, random), start(kM, kN, false, 0, random);
  Arena arena;
  const PackedMatrix<T> panels = pack(arena, products, b.operand());
  for (const Into into : {Into::overwrite, Into::add}) {
    std::vector<T> all = start.values;
    matmul_packed(a.operand(), panels, Matrix<T>(all.data(), kM, kN), into);
    for (const Index step : {1, 2, 5, 13, 14, 64, 130}) {
      std::vector<T> cut = start.values;
      for (Index row = 0; row < kM; row += step) {
        const Index rows = std::min(step, kM - row);
        matmul_packed(rows_of(a.operand(), row, rows), panels, Matrix<T>(cut.data() + row * kN, rows, kN), into);
      }
      ASSERT_EQ(all, cut) << "pieces of " << step << " rows";
    }
  }
}

TEST(Packed, RowsDependOnNothingButThemselves) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check_rows_stand_alone<float>(false);
    check_rows_stand_alone<float>(true);
    check_rows_stand_alone<float>(false, Products::bf16x3);
    check_rows_stand_alone<float>(true, Products::bf16x3);
  }
  hwy::SetSupportedTargetsForTest(0);
  check_rows_stand_alone<double>(false);
  check_rows_stand_alone<double>(true);
}

// Rearranged whole before the product, or group by group on its way: the same bits, whatever the edges of groups, parts
// and bands are.
template <class T>
void check_packing() {
  RandomStream random(5, "matmul-test");
  for (const Shape& s : {Shape{3, 1030, 1200}, Shape{130, 700, 450}, Shape{128, 1024, 33}, Shape{129, 1025, 33}})
    for (const bool turned_a : {false, true})
      for (const bool turned_b : {false, true}) {
        SCOPED_TRACE(::testing::Message() << s.m << " " << s.k << " " << s.n << " " << turned_a << turned_b);
        const Stored<T> a(s.m, s.k, turned_a, 0, random), b(s.k, s.n, turned_b, 3, random);
        std::vector<T> whole(static_cast<std::size_t>(s.m * s.n), T{1}), on_the_way = whole;
        Arena arena;
        matmul_packed(a.operand(), pack(arena, Products::full, b.operand()), Matrix<T>(whole.data(), s.m, s.n),
                      Into::add);
        matmul_packing(a.operand(), b.operand(), Matrix<T>(on_the_way.data(), s.m, s.n), Into::add);
        EXPECT_EQ(whole, on_the_way);
      }
}

TEST(Packed, MayBeRearrangedOnTheWayToTheSameBits) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check_packing<float>();
  }
  hwy::SetSupportedTargetsForTest(0);
  check_packing<double>();
}

// Panel by panel, each number where it belongs, and 0 where there is none.
template <class T>
void check_panels() {
  constexpr Index stride = 45;
  std::vector<T> b(stride * 48);
  std::iota(b.begin(), b.end(), T{1});
  for (const Index rows : {1, 15, 16, 19, 45})
    for (const Index columns : {1, 16, 22, 32, 45})
      for (const bool turned : {false, true}) {
        SCOPED_TRACE(::testing::Message() << rows << " " << columns << " " << turned);
        const Operand<T> operand{b.data(), rows, columns, stride, turned};
        std::vector<T> got(packed_size(Products::full, operand), T{-1});
        for (Index panel = 0; panel < panels_of(operand); panel += 2)
          pack_panels(Products::full, operand, panel, std::min(panel + 2, panels_of(operand)), got.data());
        for (Index i = 0; i < std::ssize(got); ++i) {
          const Index k = i / panel_width % rows, j = i / panel_width / rows * panel_width + i % panel_width;
          const Index at = turned ? j * stride + k : k * stride + j;
          ASSERT_EQ(got[static_cast<std::size_t>(i)], j < columns ? b[static_cast<std::size_t>(at)] : T{0}) << i;
        }
      }
}

TEST(Packed, PanelsHoldColumnsSideBySide) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check_panels<float>();
    check_panels<double>();
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Packed under one target, used under another.
TEST(Packed, PanelsServeEveryTarget) {
  RandomStream random(3, "matmul-test");
  const Stored<float> a(20, 40, false, 0, random), b(40, 50, false, 0, random);
  Arena arena;
  const PackedMatrix<float> panels = pack(arena, Products::full, b.operand());
  std::vector<float> expected(20 * 50), got(20 * 50);
  matmul_packed(a.operand(), panels, Matrix<float>(expected.data(), 20, 50));
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    matmul_packed(a.operand(), panels, Matrix<float>(got.data(), 20, 50));
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-4) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace fovea
