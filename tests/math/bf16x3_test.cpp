// Products in three terms of bfloat16 against plain scalar code that is their definition, bit by bit.
#include "fovea/math/bf16x3.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/math/tile_check.h"
#include "fovea/math/tile_unit.h"

namespace fovea::bf16x3 {
namespace {

constexpr float least = std::numeric_limits<float>::min();  // 2^-126

float flushed(float x) { return std::abs(x) < least ? std::copysign(0.0f, x) : x; }

// The nearest of 8 significant bits, ties to even.
float nearest_bf16(float x) {
  int power = 0;
  const float mantissa = std::frexp(flushed(x), &power);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), power - 8);
}

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

struct Halves {
  float hi, lo;
};
Halves halves(float x) {
  const float hi = nearest_bf16(x);
  return {hi, nearest_bf16(x - hi)};
}

// A stored matrix as it is seen; numbers around 1, and every third line tiny if wanted.
struct Numbers {
  std::vector<float> values;
  std::vector<Halves> split;
  Operand<float> seen;

  Numbers(Index rows, Index columns, bool transposed, Index room, bool with_tiny, RandomStream& random) {
    const Index lines = transposed ? columns : rows, length = (transposed ? rows : columns), stride = length + room;
    for (Index i = 0; i < lines; ++i)
      for (Index j = 0; j < stride; ++j) {
        const int power = with_tiny && i % 3 == 1 ? -60 - static_cast<int>(random.integer(12)) : 0;
        values.push_back(j < length ? std::ldexp(static_cast<float>(random.normal()), power) : std::nanf(""));
      }
    for (const float x : values) split.push_back(halves(x));
    seen = {values.data(), rows, columns, stride, transposed};
  }
  std::size_t place(Index i, Index k) const {
    return static_cast<std::size_t>(seen.transposed ? k * seen.stride + i : i * seen.stride + k);
  }
  float at(Index i, Index k) const { return values[place(i, k)]; }
  float half(Index i, Index k, bool hi) const { return hi ? split[place(i, k)].hi : split[place(i, k)].lo; }
};

// t(x, y) over the chunk that begins at k, as TDPBF16PS sums.
template <class Left, class Right>
float chunk_sum(Index begin, Index end, Left left, Right right) {
  float even = 0, odd = 0;
  for (Index k = begin; k < end; ++k) {
    float& sum = (k - begin) % 2 == 0 ? even : odd;
    sum = flushed(std::fma(left(k), right(k), sum));
  }
  return flushed(even + odd);
}

float element(const Numbers& a, const Numbers& b, Index i, Index j, float c) {
  const auto left = [&](bool hi) { return [&a, i, hi](Index k) { return a.half(i, k, hi); }; };
  const auto right = [&](bool hi) { return [&b, j, hi](Index k) { return b.half(k, j, hi); }; };
  const Index depth = a.seen.columns;
  for (Index k = 0; k < depth; k += chunk) {
    const Index end = std::min(k + chunk, depth);
    c = flushed(flushed(c) + chunk_sum(k, end, left(true), right(true)));
    c = flushed(c + chunk_sum(k, end, left(true), right(false)));
    c = flushed(c + chunk_sum(k, end, left(false), right(true)));
  }
  return c;
}

std::vector<std::uint32_t> panels_of(const Operand<float>& b) {
  const Index chunks = chunks_of(b.rows), count = (b.columns + lines - 1) / lines;
  std::vector<std::uint32_t> panels(static_cast<std::size_t>(count * chunks * split_tile_words));
  split_columns(b, panels.data());
  return panels;
}

void product(const Operand<float>& a, const Operand<float>& b, std::vector<float>& c, Index c_stride, bool add) {
  const std::vector<std::uint32_t> panels = panels_of(b);
  multiply(a, panels.data(), chunks_of(b.rows), b.columns, c.data(), c_stride, add);
}

bool fuses(std::int64_t target) {
  const std::string name = hwy::TargetName(target);
  return name.starts_with("AVX");
}

template <class Test>
void under_every_target(Test test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test(fuses(target));
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Bf16x3, SplitsNumbersOfEverySizeToTheBit) {
  std::vector<float> numbers = {0.0f, -0.0f, 1.0f, -1.0f, 0x1.01p0f, 0x1.03p0f, 0x1.00ffp0f, least, -least, least / 2};
  RandomStream random(1, "bf16x3-test");
  for (int power = -149; power < 127; ++power) {
    for (int i = 0; i < 8; ++i) numbers.push_back(std::ldexp(static_cast<float>(random.uniform(-2, 2)), power));
  }
  numbers.resize((numbers.size() + 31) / 32 * 32);
  const auto count = static_cast<Index>(numbers.size());
  under_every_target([&](bool) {
    std::vector<std::uint32_t> tiles(numbers.size() / 32 * split_tile_words);
    split_rows({numbers.data(), 1, count, count, false}, 0, count / chunk, tiles.data());
    const std::vector<std::uint32_t> panels = panels_of({numbers.data(), count, 1, 1, false});
    for (Index k = 0; k < count; ++k) {
      const Index word = k / chunk * split_tile_words + k % chunk / 2;
      const auto half = [&](Index at) {
        const std::uint32_t pair = tiles[static_cast<std::size_t>(at)];
        return std::bit_cast<float>(k % 2 == 0 ? pair << 16 : pair & 0xFFFF0000u);
      };
      const float x = numbers[static_cast<std::size_t>(k)], hi = half(word), lo = half(word + tile_words);
      ASSERT_EQ(bits_of(hi), bits_of(halves(x).hi)) << x;
      ASSERT_EQ(bits_of(lo), bits_of(halves(x).lo)) << x;
      const Index pair = k % chunk / 2;  // where a panel of one column has it
      ASSERT_EQ(panels[static_cast<std::size_t>(k / chunk * split_tile_words + pair * lines)],
                tiles[static_cast<std::size_t>(word)]);
      if (std::abs(x) > 0x1p-100f) {
        ASSERT_LE(std::abs(static_cast<double>(x) - hi - lo), 0x1p-17 * std::abs(x)) << x;
      }
    }
  });
}

TEST(Bf16x3, IsItsDefinitionToTheBit) {
  struct Shape {
    Index m, k, n;
  };
  under_every_target([](bool fused) {
    RandomStream random(2, "bf16x3-test");
    for (const Shape& s :
         {Shape{1, 1, 1}, Shape{3, 31, 17}, Shape{16, 32, 16}, Shape{17, 33, 15}, Shape{32, 64, 32}, Shape{37, 70, 49},
          Shape{5, 300, 33}, Shape{141, 3, 5}, Shape{150, 40, 3}, Shape{3, 40, 150}}) {
      for (int layout = 0; layout < 8; ++layout) {
        const auto room = [&] { return static_cast<Index>(random.integer(20)); };
        const Numbers a(s.m, s.k, (layout & 1) != 0, room(), fused, random);
        const Numbers b(s.k, s.n, (layout & 2) != 0, room(), fused, random);
        const Numbers start(s.m, s.n, false, 3, fused, random);
        const bool add = (layout & 4) != 0;
        std::vector<float> c = start.values;
        product(a.seen, b.seen, c, s.n + 3, add);
        for (Index i = 0; i < s.m; ++i) {
          for (Index j = 0; j < s.n + 3; ++j) {
            const float got = c[static_cast<std::size_t>(i * (s.n + 3) + j)];
            if (j >= s.n) {
              ASSERT_TRUE(std::isnan(got)) << "wrote past a row of c";
              continue;
            }
            const float want = element(a, b, i, j, add ? start.at(i, j) : 0.0f);
            ASSERT_EQ(bits_of(got), bits_of(want))
                << i << ", " << j << " of " << s.m << " x " << s.k << " x " << s.n << ", layout " << layout;
          }
        }
      }
    }
  });
}

// What is packed deeper than a is wide does not count.
TEST(Bf16x3, TakesTheFirstRowsOfAPanel) {
  RandomStream random(3, "bf16x3-test");
  const Numbers a(20, 100, false, 0, false, random), b(100, 20, false, 0, false, random);
  const std::vector<std::uint32_t> panels = panels_of(b.seen);
  std::vector<float> part(400), whole(400);
  for (const Index rows : {1, 31, 32, 45}) {
    const Operand<float> left{a.values.data(), 20, rows, 100, false}, right{b.values.data(), rows, 20, 20, false};
    multiply(left, panels.data(), chunks_of(100), 20, part.data(), 20, false);
    product(left, right, whole, 20, false);
    EXPECT_EQ(part, whole) << rows;
  }
}

TEST(Bf16x3, KeepsWhatIsNotFiniteToItsRowAndColumn) {
  RandomStream random(4, "bf16x3-test");
  constexpr Index kSize = 40;
  const float infinite = std::numeric_limits<float>::infinity();
  for (const float strange : {std::nanf(""), infinite, -infinite, std::numeric_limits<float>::max()}) {
    Numbers a(kSize, kSize, false, 0, false, random), b(kSize, kSize, false, 0, false, random);
    std::vector<float> plain(kSize * kSize), c = plain;
    product(a.seen, b.seen, plain, kSize, false);
    a.values[7 * kSize + 9] = strange;
    b.values[35 * kSize + 20] = strange;
    product(a.seen, b.seen, c, kSize, false);
    for (Index i = 0; i < kSize; ++i) {
      for (Index j = 0; j < kSize; ++j) {
        const auto n = static_cast<std::size_t>(i * kSize + j);
        if (i == 7 || j == 20) EXPECT_FALSE(std::isfinite(c[n])) << strange << " at " << i << ", " << j;
        else EXPECT_EQ(bits_of(c[n]), bits_of(plain[n])) << strange << " at " << i << ", " << j;
      }
    }
  }
}

TEST(Bf16x3, TakesWhatIsBelowTheLeastNormalNumberFor0AndLeavesTheThreadAsItWas) {
  const float tiny = least / 2, large = 0x1p120f;
  std::vector<float> c(1, 5.0f);
  product({&tiny, 1, 1, 1, false}, {&large, 1, 1, 1, false}, c, 1, false);
  EXPECT_EQ(c[0], 0.0f);
  const float small = 0x1p-70f;  // their product is below it, too
  product({&small, 1, 1, 1, false}, {&small, 1, 1, 1, false}, c, 1, false);
  EXPECT_EQ(c[0], 0.0f);
  volatile float x = least;
  EXPECT_EQ(x * 0.5f, tiny);
}

// The check that AMX has to pass before it is used.
struct LosesASum : SoftwareUnit {
  template <int Rows, int Panel>
  void multiply() {
    if constexpr (Rows + Panel < 2) SoftwareUnit::multiply<Rows, Panel>();
  }
};
struct OffByABit : SoftwareUnit {
  template <int Sums>
  void store(float* to, Index stride) {
    SoftwareUnit::store<Sums>(to, stride);
    if constexpr (Sums == 2) to[3 * stride + 5] = std::nextafter(to[3 * stride + 5], 1e30f);
  }
};
#if HWY_ARCH_X86
struct KeepsTheTiny : SoftwareUnit {
  KeepsTheTiny() { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x8040u); }
};
#endif

TEST(TileUnit, IsRefusedWhereItsBitsAreOthers) {
  EXPECT_TRUE(like_software<SoftwareUnit>());
  EXPECT_FALSE(like_software<LosesASum>());
  EXPECT_FALSE(like_software<OffByABit>());
#if HWY_ARCH_X86
  EXPECT_FALSE(like_software<KeepsTheTiny>());
#endif
}

TEST(TileUnit, IsTheProcessorsWhereItHasOne) {
  const TileChoice& choice = tile_choice();
  EXPECT_EQ(choice.unit == TileUnit::amx, choice.why == Why::best);
  EXPECT_NE(choice.why, Why::differs);
}

}  // namespace
}  // namespace fovea::bf16x3
