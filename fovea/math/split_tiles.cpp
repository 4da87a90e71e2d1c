// Splits float matrices into tiles of two bfloat16 terms: split_rows and split_columns of math/bf16x3.h (room math).
#include <algorithm>

#include "fovea/math/bf16x3.h"
#include "fovea/math/simd.h"
#include "fovea/math/tile_unit.h"

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

// Words of 16 pairs: hi into `to`, lo a tile behind.
HWY_INLINE void Store(W hi, W lo, std::uint32_t* to) {
  hn::StoreU(hi, U(), to);
  hn::StoreU(lo, U(), to + tile_words);
}

// Rounds in integers, as any processor can.
struct InIntegers {
  static HWY_INLINE void Pairs(V even, V odd, std::uint32_t* to) {
    const D d;
    const W even_hi = Rounded(even), odd_hi = Rounded(odd);
    const W even_lo = Rounded(hn::Sub(even, hn::BitCast(d, even_hi)));
    const W odd_lo = Rounded(hn::Sub(odd, hn::BitCast(d, odd_hi)));
    Store(hn::Or(odd_hi, hn::ShiftRight<16>(even_hi)), hn::Or(odd_lo, hn::ShiftRight<16>(even_lo)), to);
  }
  static HWY_INLINE void Line(const float* x, std::uint32_t* to) {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index pair = 0; pair < chunk / 2; pair += lanes) {
      const V first = hn::LoadU(d, x + 2 * pair), second = hn::LoadU(d, x + 2 * pair + lanes);
#if HWY_TARGET == HWY_SCALAR
      Pairs(first, second, to + pair);
#else
      Pairs(hn::ConcatEven(d, second, first), hn::ConcatOdd(d, second, first), to + pair);
#endif
    }
  }
};

#if HWY_TARGET == HWY_AVX3
// Rounds by the processor's own instruction, which gives the same bits.
struct ByProcessor {
  static HWY_INLINE W Both(V lower, V upper) {  // 16 bfloat16 of the one, then 16 of the other
    W both;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both.raw) : "v"(upper.raw), "v"(lower.raw));
    return both;
  }
  struct Apart {
    explicit Apart(W both)
        : lower{_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(both.raw)), 16)},
          upper{_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(both.raw, 1)), 16)} {}
    W pairs() const { return hn::Or(upper, hn::ShiftRight<16>(lower)); }
    W lower, upper;  // as floats have them
  };
  static HWY_INLINE W Rest(V lower, V upper, const Apart& hi) {
    const D d;
    return Both(hn::Sub(lower, hn::BitCast(d, hi.lower)), hn::Sub(upper, hn::BitCast(d, hi.upper)));
  }

  static HWY_INLINE void Pairs(V even, V odd, std::uint32_t* to) {
    const Apart hi(Both(even, odd));
    Store(hi.pairs(), Apart(Rest(even, odd, hi)).pairs(), to);
  }
  static HWY_INLINE void Line(const float* x, std::uint32_t* to) {
    const D d;
    const V first = hn::LoadU(d, x), second = hn::LoadU(d, x + lines);
    const W hi = Both(first, second);
    Store(hi, Rest(first, second, Apart(hi)), to);
  }
};
#endif

// A square of words, four by four.
void TurnSquare(const std::uint32_t* from, std::uint32_t* to) {
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

// Both of a split tile's.
void Turn(const std::uint32_t* from, std::uint32_t* to) {
  TurnSquare(from, to);
  TurnSquare(from + tile_words, to + tile_words);
}

constexpr Index together = 8;  // tiles beside each other that are filled at once, so that lines of memory are read on

// What is split: lines of memory, `count` of them, along k or one for each k, from k `begin` on into the tiles of each
// 16, chunk by chunk.
struct Lines {
  const float* from;
  Index stride, count, begin, depth, chunks;
  std::uint32_t* tiles;

  Index k(Index q) const { return begin + q * chunk; }
  std::uint32_t* tile(Index first, Index q) const { return tiles + (first / lines * chunks + q) * split_tile_words; }
};

// So many numbers in memory, of which there are but `has`: the others are 0.
template <Index Numbers>
HWY_INLINE const float* Filled(const float* x, Index has, float* room) {
  if (has == Numbers) return x;
  for (Index i = 0; i < Numbers; ++i) room[i] = i < has ? x[i] : 0.0f;
  return room;
}

// A chunk of a line along k.
HWY_INLINE const float* ChunkOf(const Lines& all, Index line, Index k, float* room) {
  const Index has = line < all.count ? std::clamp<Index>(all.depth - k, 0, chunk) : 0;
  return Filled<chunk>(has > 0 ? all.from + line * all.stride + k : nullptr, has, room);
}

// 16 numbers of the line of k.
HWY_INLINE const float* LineOf(const Lines& all, Index k, Index first, float* room) {
  const Index has = k < all.depth ? std::min(lines, all.count - first) : 0;
  return Filled<lines>(has > 0 ? all.from + k * all.stride + first : nullptr, has, room);
}

// Lines along k as words (line, pair).
template <class Rounding>
void AlongAsTheyStand(const Lines& all) {
  HWY_ALIGN float room[chunk];
  for (Index first = 0; first < all.count; first += lines)
    for (Index line = 0; line < lines; ++line)
      for (Index q = 0; q < all.chunks; ++q)
        Rounding::Line(ChunkOf(all, first + line, all.k(q), room), all.tile(first, q) + line * lines);
}

// Lines along k as words (pair, line).
template <class Rounding>
void AlongTurned(const Lines& all) {
  HWY_ALIGN float room[chunk];
  HWY_ALIGN std::uint32_t other[split_tile_words];
  for (Index first = 0; first < all.count; first += lines) {
    for (Index q = 0; q < all.chunks; ++q) {
      for (Index line = 0; line < lines; ++line)
        Rounding::Line(ChunkOf(all, first + line, all.k(q), room), other + line * lines);
      Turn(other, all.tile(first, q));
    }
  }
}

// A line for each k, as words (pair, line), or (line, pair) when turned.
template <class Rounding>
void Across(const Lines& all, bool turned) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN float room[2][lines];
  HWY_ALIGN std::uint32_t other[together * split_tile_words];
  for (Index some = 0; some < all.count; some += together * lines) {
    const Index end = std::min(all.count, some + together * lines);
    for (Index q = 0; q < all.chunks; ++q) {
      const auto place = [&](Index first) HWY_ATTR {
        return turned ? other + (first - some) / lines * split_tile_words : all.tile(first, q);
      };
      for (Index pair = 0; pair < chunk / 2; ++pair) {
        const Index k = all.k(q) + 2 * pair;
        for (Index first = some; first < end; first += lines) {
          const float *const even = LineOf(all, k, first, room[0]), *const odd = LineOf(all, k + 1, first, room[1]);
          for (Index j = 0; j < lines; j += lanes)
            Rounding::Pairs(hn::LoadU(d, even + j), hn::LoadU(d, odd + j), place(first) + pair * lines + j);
        }
      }
      if (!turned) continue;
      for (Index first = some; first < end; first += lines) Turn(place(first), all.tile(first, q));
    }
  }
}

template <class Rounding>
void SplitBy(const Lines& all, bool along, bool lines_first) {
  if (!along) Across<Rounding>(all, lines_first);
  else if (lines_first) AlongAsTheyStand<Rounding>(all);
  else AlongTurned<Rounding>(all);
}

// `along`: whether k runs along a line of memory; `lines_first`: whether words stand by line, then pair.
void Split(const float* from, Index stride, Index count, Index begin, Index depth, Index chunks, bool along,
           bool lines_first, bool by_processor, std::uint32_t* tiles) {
  const Lines all{from, stride, count, begin, depth, chunks, tiles};
#if HWY_TARGET == HWY_AVX3
  if (by_processor) return SplitBy<ByProcessor>(all, along, lines_first);
#else
  (void)by_processor;
#endif
  SplitBy<InIntegers>(all, along, lines_first);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::bf16x3
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::bf16x3 {
namespace {

HWY_EXPORT(Split);

void split(const Operand<float>& x, Index count, Index begin, Index depth, Index chunks, bool along, bool lines_first,
           std::uint32_t* tiles) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Split)
  (x.data, x.stride, count, begin, depth, chunks, along, lines_first, processor_rounds(), tiles);
}

}  // namespace

void split_rows(const Operand<float>& a, Index begin, Index chunks, std::uint32_t* tiles) {
  split(a, a.rows, begin, a.columns, chunks, !a.transposed, true, tiles);
}

void split_columns(const Operand<float>& b, std::uint32_t* panels) {
  split(b, b.columns, 0, b.rows, chunks_of(b.rows), b.transposed, false, panels);
}

}  // namespace fovea::bf16x3
#endif  // HWY_ONCE
