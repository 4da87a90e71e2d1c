// Products of float matrices in three terms of bfloat16 (room math). math/packed.cpp uses it if `train.precision`
// asks for it. Tile units multiply bfloat16 several times as fast as processors multiply float32. Each element is
// split into two bfloat16, each rounded to nearest even,
//
//   x ≈ hi + lo        hi = bf16(x)        lo = bf16(x - hi)        |x - hi - lo| <= 2^-17 |x|
//
// and of the four products the least, lo lo, is left out. K is cut into chunks of 32; in ascending order each adds
//
//   c ← c + t(hi a, hi b)        c ← c + t(hi a, lo b)        c ← c + t(lo a, hi b)        t(x, y) = Σ_even + Σ_odd
//
// in float32, where Σ_even and Σ_odd run over the chunk's even and odd k by fused multiply-adds in ascending order:
// the sums of the instruction TDPBF16PS. As there, numbers below 2^-126 count as 0, terms and sums alike; so a number
// below about 2^-110 has fewer bits. A number that rounds to an infinity, from 2^128 (1 - 2^-9) on, gives sums that
// are no finite numbers, and so do infinities and NaN.
//
// Each element of the product has its bits from its row and its column alone. A processor that has AMX multiplies by
// it, any other by a software unit that gives the same bits (with exceptions in math/tile_unit.h).
#pragma once

#include <cstdint>

#include "fovea/math/matmul.h"

namespace fovea::bf16x3 {

inline constexpr Index chunk = 32;                         // of K: a tile's width in bfloat16
inline constexpr Index lines = 16;                         // of a tile: rows of a, or columns of b
inline constexpr Index tile_words = lines * chunk / 2;     // a word has k in its lower half, k + 1 in its upper
inline constexpr Index split_tile_words = 2 * tile_words;  // hi, then lo
constexpr Index chunks_of(Index depth) { return (depth + chunk - 1) / chunk; }

// Tiles of 16 rows of a each, from k `begin` on, chunk by chunk: word (row, pair of k). What a has not is 0.
void split_rows(const Operand<float>& a, Index begin, Index chunks, std::uint32_t* tiles);

// Panels of 16 columns of b each, all its chunks one after another: word (pair of k, column). What b has not is 0.
void split_columns(const Operand<float>& b, std::uint32_t* panels);

// c (M,N) = a (M,K) b, or c += a b, where b are panels as split_columns makes them, each of `panel_chunks` chunks; K
// may be less than they are deep, if what they hold below is finite.
void multiply(const Operand<float>& a, const std::uint32_t* panels, Index panel_chunks, Index columns, float* c,
              Index c_stride, bool add);

}  // namespace fovea::bf16x3
