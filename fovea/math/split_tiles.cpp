#include <algorithm>

#include "fovea/math/bf16x3.h"
#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/math/split_tiles.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::bf16x3 {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, static_cast<std::size_t>(lines)>;
using U = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using W = hn::Vec<U>;

// bf16(x) in the upper halves. What is below 2^-126 is 0 before it is rounded, whatever the processor does with it.
HWY_INLINE W Rounded(V x) {
  const U u;
  const W bits = hn::BitCast(u, x), upper = hn::Set(u, 0xFFFF0000u), exponent = hn::Set(u, 0x7F800000u);
  const W last = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1));
  const W rounded = hn::And(hn::Add(bits, hn::Add(last, hn::Set(u, 0x7FFF))), upper);
  const W no_number = hn::And(hn::Or(bits, hn::Set(u, 0x00400000u)), upper);
  const W any = hn::IfThenElse(hn::RebindMask(u, hn::IsNaN(x)), no_number, rounded);
  return hn::IfThenElse(hn::Eq(hn::And(bits, exponent), hn::Zero(u)), hn::And(bits, hn::Set(u, 0x80000000u)), any);
}

// Words of even and odd k: hi into `to`, lo a tile behind.
HWY_INLINE void StorePairs(D d, V even, V odd, std::uint32_t* to) {
  const U u;
  const W even_hi = Rounded(even), odd_hi = Rounded(odd);
  const W even_lo = Rounded(hn::Sub(even, hn::BitCast(d, even_hi)));
  const W odd_lo = Rounded(hn::Sub(odd, hn::BitCast(d, odd_hi)));
  hn::StoreU(hn::Or(odd_hi, hn::ShiftRight<16>(even_hi)), u, to);
  hn::StoreU(hn::Or(odd_lo, hn::ShiftRight<16>(even_lo)), u, to + tile_words);
}

// Lines of memory along k: word (line, pair).
void SplitAlong(const float* from, Index stride, Index count, Index depth, std::uint32_t* tile) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN float whole[chunk];
  for (Index line = 0; line < lines; ++line) {
    const float* x = from + line * stride;
    if (line >= count || depth < chunk) {
      const Index has = line < count ? depth : 0;
      for (Index k = 0; k < chunk; ++k) whole[k] = k < has ? x[k] : 0.0f;
      x = whole;
    }
    for (Index pair = 0; pair < chunk / 2; pair += lanes) {
      const V first = hn::LoadU(d, x + 2 * pair), second = hn::LoadU(d, x + 2 * pair + lanes);
#if HWY_TARGET == HWY_SCALAR
      const V even = first, odd = second;
#else
      const V even = hn::ConcatEven(d, second, first), odd = hn::ConcatOdd(d, second, first);
#endif
      StorePairs(d, even, odd, tile + line * chunk / 2 + pair);
    }
  }
}

// Lines of memory across k, one for each: word (pair, line).
void SplitAcross(const float* from, Index stride, Index count, Index depth, std::uint32_t* tile) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN float whole[2][lines];
  for (Index pair = 0; pair < chunk / 2; ++pair) {
    const float* x[2];
    for (Index odd = 0; odd < 2; ++odd) {
      const Index k = 2 * pair + odd;
      x[odd] = from + k * stride;
      if (k < depth && count >= lines) continue;
      for (Index j = 0; j < lines; ++j) whole[odd][j] = k < depth && j < count ? x[odd][j] : 0.0f;
      x[odd] = whole[odd];
    }
    for (Index j = 0; j < lines; j += lanes)
      StorePairs(d, hn::LoadU(d, x[0] + j), hn::LoadU(d, x[1] + j), tile + pair * lines + j);
  }
}

// A square of words, four by four.
void Turn(const std::uint32_t* from, std::uint32_t* to) {
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<std::uint32_t, 4> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const auto lower = [&](auto x, auto y) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveLower(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
  };
  const auto upper = [&](auto x, auto y) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveUpper(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
  };
  for (Index i = 0; i < lines; i += 4) {
    for (Index j = 0; j < lines; j += 4) {
      const std::uint32_t* const x = from + i * lines + j;
      const auto x0 = hn::LoadU(d, x), x1 = hn::LoadU(d, x + lines);
      const auto x2 = hn::LoadU(d, x + 2 * lines), x3 = hn::LoadU(d, x + 3 * lines);
      const auto low01 = hn::InterleaveLower(d, x0, x1), low23 = hn::InterleaveLower(d, x2, x3);
      const auto up01 = hn::InterleaveUpper(d, x0, x1), up23 = hn::InterleaveUpper(d, x2, x3);
      std::uint32_t* const y = to + j * lines + i;
      hn::StoreU(lower(low01, low23), d, y);
      hn::StoreU(upper(low01, low23), d, y + lines);
      hn::StoreU(lower(up01, up23), d, y + 2 * lines);
      hn::StoreU(upper(up01, up23), d, y + 3 * lines);
    }
  }
#else
  for (Index i = 0; i < lines; ++i)
    for (Index j = 0; j < lines; ++j) to[j * lines + i] = from[i * lines + j];
#endif
}

// Tiles of the first `count` lines, from k `begin` on. `along`: whether k runs along a line of memory; `lines_first`:
// whether words stand by line, then pair.
void Split(const float* from, Index stride, Index count, Index begin, Index depth, Index chunks, bool along,
           bool lines_first, std::uint32_t* tiles) {
  HWY_ALIGN std::uint32_t other[split_tile_words];
  for (Index q = 0; q < chunks; ++q, tiles += split_tile_words) {
    const Index k = begin + q * chunk, left = std::clamp<Index>(depth - k, 0, chunk);
    std::uint32_t* const to = along == lines_first ? tiles : other;
    if (left == 0) std::fill_n(to, split_tile_words, 0u);
    else if (along) SplitAlong(from + k, stride, count, left, to);
    else SplitAcross(from + k * stride, stride, count, left, to);
    if (to == tiles) continue;
    Turn(other, tiles);
    Turn(other + tile_words, tiles + tile_words);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::bf16x3
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::bf16x3 {
namespace {
HWY_EXPORT(Split);
}

void split_rows(const Operand<float>& a, Index begin, Index chunks, std::uint32_t* tiles) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Split)
  (a.data, a.stride, std::min(a.rows, lines), begin, a.columns, chunks, !a.transposed, true, tiles);
}

void split_columns(const Operand<float>& b, Index chunks, std::uint32_t* tiles) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Split)
  (b.data, b.stride, std::min(b.columns, lines), 0, b.rows, chunks, b.transposed, false, tiles);
}

}  // namespace fovea::bf16x3
#endif  // HWY_ONCE
