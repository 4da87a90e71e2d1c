#include "fovea/math/packed.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <type_traits>
#include <utility>

#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/math/packed.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#ifndef FOVEA_MATH_PACKED_BLOCKS_
#define FOVEA_MATH_PACKED_BLOCKS_
namespace fovea {
namespace {

// A panel is as wide for every target, so that what was packed under one can be used under another.
constexpr Index kPanel = 16;

// K is cut into blocks so that the panels a tile reads stay near the first-level cache; rows of a, and columns where
// there are several blocks of rows, so that what is read again stays in the second.
constexpr Index kDepth = 256;
constexpr Index kRows = 128;
constexpr Index kColumns = 480;  // whole tiles of every target

// Stored rows this far apart fall into few cache sets; such blocks of a are copied to rows kBlockStride apart first.
constexpr Index kFarApart = 512;
constexpr Index kBlockStride = kDepth + 16;  // at least kRows as well, for a transposed block

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, kPanel>;
using Vec = hn::Vec<Tag>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag()));
constexpr std::size_t kVectors = static_cast<std::size_t>(kPanel / kLanes);  // a panel's width

// Tiles of the result are kept in registers: as many rows and panels as those allow.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr std::size_t kTileRows = 8, kTilePanels = 3;
#elif HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
constexpr std::size_t kTileRows = 6, kTilePanels = 1;
#else
constexpr std::size_t kTileRows = 3, kTilePanels = 1;
#endif

struct Block {
  const float* a;  // element (row, k) is a[row * step + k], or a[k * step + row] when transposed
  Index step;
  Index depth;
  const float* panels;
  Index panel_step;  // from a panel to the next
  float* c;
  Index c_stride;
  Index columns;
  bool add;
};

template <bool Transposed, std::size_t Width, std::size_t... At>
HWY_INLINE HWY_ATTR void Step(Tag d, const float* a, Index step, const Vec (&b)[Width], Vec (&sum)[sizeof...(At)],
                              std::index_sequence<At...>) {
  ((sum[At] = hn::MulAdd(hn::Set(d, Transposed ? a[At / Width] : a[static_cast<Index>(At / Width) * step]),
                         b[At % Width], sum[At])),
   ...);
}

template <std::size_t Width, std::size_t... At>
HWY_INLINE HWY_ATTR void LoadPanels(Tag d, const float* panels, Index panel_step, Vec (&b)[Width],
                                    std::index_sequence<At...>) {
  ((b[At] = hn::Load(
        d, panels + static_cast<Index>(At / kVectors) * panel_step + static_cast<Index>(At % kVectors) * kLanes)),
   ...);
}

template <std::size_t Width, std::size_t... At>
HWY_INLINE HWY_ATTR void Clear(Tag d, Vec (&sum)[sizeof...(At)], std::index_sequence<At...>) {
  ((sum[At] = hn::Zero(d)), ...);
}

template <std::size_t Width, std::size_t... At>
HWY_INLINE HWY_ATTR void StoreAll(Tag d, const Vec (&sum)[sizeof...(At)], float* c, Index stride, bool add,
                                  std::index_sequence<At...>) {
  const auto at = [=](std::size_t i) HWY_ATTR {
    return c + static_cast<Index>(i / Width) * stride + static_cast<Index>(i % Width) * kLanes;
  };
  if (add) {
    (hn::StoreU(hn::Add(hn::LoadU(d, at(At)), sum[At]), d, at(At)), ...);
  } else {
    (hn::StoreU(sum[At], d, at(At)), ...);
  }
}

// Rows x (Panels * kPanel) elements of c. Each is summed over k in ascending order by one multiply-add a step, in every
// tile shape alike.
template <bool Transposed, std::size_t Rows, std::size_t Panels>
void Tile(const Block& block) {
  constexpr std::size_t kWidth = Panels * kVectors;
  constexpr std::make_index_sequence<Rows * kWidth> all;
  const Tag d;
  Vec sum[Rows * kWidth];
  Clear<kWidth>(d, sum, all);
  const float* a = block.a;
  const float* panels = block.panels;
  for (Index k = 0; k < block.depth; ++k, panels += kPanel, a += Transposed ? block.step : 1) {
    Vec b[kWidth];
    LoadPanels(d, panels, block.panel_step, b, std::make_index_sequence<kWidth>());
    Step<Transposed>(d, a, block.step, b, sum, all);
  }
  constexpr Index kAcross = static_cast<Index>(Panels) * kPanel;
  if (block.columns >= kAcross) {
    StoreAll<kWidth>(d, sum, block.c, block.c_stride, block.add, all);
    return;
  }
  HWY_ALIGN float part[Rows * Panels * static_cast<std::size_t>(kPanel)];
  StoreAll<kWidth>(d, sum, part, kAcross, false, all);
  for (Index row = 0; row < static_cast<Index>(Rows); ++row) {
    float* const c = block.c + row * block.c_stride;
    const float* const from = part + row * kAcross;
    if (block.add) {
      for (Index j = 0; j < block.columns; ++j) c[j] += from[j];
    } else {
      std::memcpy(c, from, static_cast<std::size_t>(block.columns) * sizeof(float));
    }
  }
}

using TileFunction = void (*)(const Block&);

// By the number of rows, less one.
template <bool Transposed, std::size_t Panels, std::size_t... Rows>
constexpr std::array<TileFunction, sizeof...(Rows)> TilesOf(std::index_sequence<Rows...>) {
  return {&Tile<Transposed, Rows + 1, Panels>...};
}

// All columns for a few rows of a block.
template <bool Transposed>
void RowsTimesPanels(Block block, Index rows, Index all_columns) {
  static constexpr auto kWide = TilesOf<Transposed, kTilePanels>(std::make_index_sequence<kTileRows>());
  static constexpr auto kNarrow = TilesOf<Transposed, 1>(std::make_index_sequence<kTileRows>());
  constexpr Index kWideColumns = static_cast<Index>(kTilePanels) * kPanel;
  const Index tiles = (rows + static_cast<Index>(kTileRows) - 1) / static_cast<Index>(kTileRows);
  const float* const a = block.a;
  float* const c = block.c;
  for (Index column = 0; column < all_columns;) {
    block.columns = all_columns - column;
    const bool wide = block.columns > (kWideColumns - kPanel);
    for (Index tile = 0; tile < tiles; ++tile) {  // rows shared out evenly
      const Index first = rows * tile / tiles, count = rows * (tile + 1) / tiles - first;
      block.a = a + first * (Transposed ? 1 : block.step);
      block.c = c + first * block.c_stride + column;
      (wide ? kWide : kNarrow)[static_cast<std::size_t>(count - 1)](block);
    }
    const Index done = wide ? kWideColumns : kPanel;
    column += done;
    block.panels += done / kPanel * block.panel_step;
  }
}

void CopyLines(const float* from, Index stride, float* to, Index lines, Index length) {
  for (Index line = 0; line < lines; ++line) {
    std::memcpy(to + line * kBlockStride, from + line * stride, static_cast<std::size_t>(length) * sizeof(float));
  }
}

// c (+)= a times panels of `columns` columns, K = a.columns > 0; `copy` has room for one block of a.
void Product(const Operand<float>& a, const float* panels, Index columns, float* c, Index c_stride, bool add,
             float* copy) {
  const Index depths = (a.columns + kDepth - 1) / kDepth;
  const bool in_place = !a.transposed && a.stride < kFarApart;
  for (Index part = 0; part < depths; ++part) {
    const Index k = a.columns * part / depths, depth = a.columns * (part + 1) / depths - k;
    const Index width = a.rows > kRows ? kColumns : columns;
    for (Index column = 0; column < columns; column += width) {
      for (Index row = 0; row < a.rows; row += kRows) {
        const Index rows = std::min(kRows, a.rows - row);
        Block block{.a = a.data + (a.transposed ? k * a.stride + row : row * a.stride + k),
                    .step = a.stride,
                    .depth = depth,
                    .panels = panels + column * a.columns + k * kPanel,
                    .panel_step = a.columns * kPanel,
                    .c = c + row * c_stride + column,
                    .c_stride = c_stride,
                    .columns = 0,
                    .add = add || part > 0};
        if (!in_place) {
          CopyLines(block.a, a.stride, copy, a.transposed ? depth : rows, a.transposed ? rows : depth);
          block.a = copy;
          block.step = kBlockStride;
        }
        const Index count = std::min(width, columns - column);
        if (a.transposed) RowsTimesPanels<true>(block, rows, count);
        else RowsTimesPanels<false>(block, rows, count);
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
namespace {

HWY_EXPORT(Product);

void multiply(const Operand<float>& a, const PackedMatrix<float>& b, float* c, Index c_stride, bool add) {
  alignas(64) thread_local float copy[kDepth * kBlockStride];
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Product)(a, b.panels, b.columns, c, c_stride, add, copy);
}

void multiply(const Operand<double>& a, const PackedMatrix<double>& b, double* c, Index c_stride, bool add) {
  const Index row_step = a.transposed ? 1 : a.stride, k_step = a.transposed ? a.stride : 1;
  for (Index i = 0; i < a.rows; ++i) {
    for (Index column = 0; column < b.columns; column += kPanel) {
      const double* panel = b.panels + column * b.rows;
      double sum[kPanel] = {};
      for (Index k = 0; k < b.rows; ++k, panel += kPanel) {
        const double x = a.data[i * row_step + k * k_step];
        for (Index j = 0; j < kPanel; ++j) sum[j] += x * panel[j];
      }
      double* const out = c + i * c_stride + column;
      const Index width = std::min(kPanel, b.columns - column);
      for (Index j = 0; j < width; ++j) out[j] = add ? out[j] + sum[j] : sum[j];
    }
  }
}

// A panel whose columns are lines in memory.
template <class T>
void gather_lines(const T* from, Index stride, Index width, Index depth, T* to) {
  if (width < kPanel) std::fill_n(to, depth * kPanel, T{});
  constexpr Index kTogether = 16;  // a cache line of each
  for (Index k = 0; k < depth; k += kTogether) {
    const Index end = std::min(depth, k + kTogether);
    for (Index j = 0; j < width; ++j) {
      for (Index i = k; i < end; ++i) to[i * kPanel + j] = from[j * stride + i];
    }
  }
}

}  // namespace

template <class T>
PackedMatrix<T> pack(Arena& arena, Operand<T> b) {
  const Index count = (b.columns + kPanel - 1) / kPanel;
  T* const panels = arena.take<T>(static_cast<std::size_t>(count * b.rows * kPanel)).data();
  for (Index first = 0; first < b.columns; first += kPanel) {
    T* to = panels + first * b.rows;
    const Index width = std::min(kPanel, b.columns - first);
    if (b.transposed) {
      gather_lines(b.data + first * b.stride, b.stride, width, b.rows, to);
    } else {
      for (Index k = 0; k < b.rows; ++k, to += kPanel) {
        const T* const from = b.data + k * b.stride + first;
        if (width == kPanel) std::copy_n(from, kPanel, to);
        else std::fill(std::copy_n(from, width, to), to + kPanel, T{});
      }
    }
  }
  return {panels, b.rows, b.columns};
}

template <class T>
void matmul_packed(Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c, Into into, Index c_stride) {
  assert(a.columns == b.rows && a.rows == c.size(0) && b.columns == c.size(1));
  if (c.empty()) return;
  if (c_stride == 0) c_stride = c.size(1);
  if (b.rows == 0) {
    if (into == Into::add) return;
    for (Index i = 0; i < c.size(0); ++i) std::fill_n(c.data() + i * c_stride, c.size(1), T{});
    return;
  }
  multiply(a, b, c.data(), c_stride, into == Into::add);
}

template PackedMatrix<float> pack(Arena&, Operand<float>);
template PackedMatrix<double> pack(Arena&, Operand<double>);
template void matmul_packed(Operand<float>, const PackedMatrix<float>&, Matrix<float>, Into, Index);
template void matmul_packed(Operand<double>, const PackedMatrix<double>&, Matrix<double>, Into, Index);

}  // namespace fovea
#endif  // HWY_ONCE
