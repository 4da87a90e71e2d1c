#include "fovea/math/packed.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/math/packed.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "fovea/math/lanes-inl.h"

#ifndef FOVEA_MATH_PACKED_BLOCKS_
#define FOVEA_MATH_PACKED_BLOCKS_
namespace fovea {
namespace {

constexpr Index kPanel = panel_width;

// K is cut into parts so that the panels a tile reads stay near the first-level cache; rows of a into bands so that a
// block of them stays in the second, and columns into groups so that their panels do.
constexpr Index kDepth = 256;
constexpr Index kRows = 128;
constexpr Index kPanelsNear = 288 * 1024;  // elements of b
constexpr Index kSmallDepth = 1024;        // up to this K a group is as deep as b
constexpr Index kTileColumns = 48;         // whole tiles of every target
static_assert(kPanelsNear >= kSmallDepth * kTileColumns);

// Stored rows this far apart fall into few cache sets; such blocks of a are copied to rows kBlockStride apart first.
constexpr Index kFarApart = 512;
constexpr Index kBlockStride = kDepth + 16;  // at least kRows as well, for a transposed block

// What is kept near of the right-hand matrix: all of K of a group of columns where K is small, else one part of it.
struct Group {
  Index deep, wide;

  static Group of(Index k) {
    const Index deep = k <= kSmallDepth ? k : kDepth;
    return {deep, kPanelsNear / deep / kTileColumns * kTileColumns};
  }
};

// The right-hand matrix of a product: its panels, all of them there; or as it stands, and each group rearranged just
// before it is used.
template <class T>
class RightMatrix {
 public:
  explicit RightMatrix(const PackedMatrix<T>& b)
      : columns(b.columns), group(Group::of(b.rows)), panels_(b.panels), depth_(b.depth) {}
  explicit RightMatrix(const Operand<T>& b)
      : columns(b.columns),
        group(Group::of(b.rows)),
        whole_(&b),
        room_(group.deep * std::min(group.wide, panels_of(b) * kPanel)),
        space_(packing_space<T>(static_cast<std::size_t>(room_))),
        panels_(space_) {}

  // Rows [k, k + depth) of columns [column, column + width) are used next: a group, or the rest there is.
  void bring(Index column, Index width, Index k, Index depth) {
    if (!whole_) return;
    const Operand<T> block = columns_of(rows_of(*whole_, k, depth), column, width);
    assert(panels_of(block) * kPanel * depth <= room_);
    pack_panels(Products::full, block, 0, panels_of(block), space_);
    column_ = column;
    k_ = k;
    depth_ = depth;
  }
  const T* panels(Index column, Index k) const { return panels_ + (column - column_) * depth_ + (k - k_) * kPanel; }
  Index panel_step() const { return depth_ * kPanel; }

  const Index columns;
  const Group group;

 private:
  const Operand<T>* whole_ = nullptr;
  Index room_ = 0;
  T* space_ = nullptr;
  const T* panels_;  // they begin at column_ and row k_, and each is depth_ deep
  Index column_ = 0, k_ = 0, depth_ = 0;
};

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace {

namespace hn = fovea::HWY_NAMESPACE::lanes;
template <class T>
using Tag = hn::CappedTag<T, kPanel>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

// Tiles of the result are kept in registers: as many rows and panels as those allow.
template <class T>
struct Tiles {
  static constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag<T>()));
  static constexpr std::size_t kVectors = static_cast<std::size_t>(kPanel / kLanes);  // a panel's width
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  static constexpr std::size_t kRegisters = 24, kPanels = kVectors == 1 ? 3 : 1;
#elif HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  static constexpr std::size_t kRegisters = 12, kPanels = 1;
#else
  static constexpr std::size_t kRegisters = 12, kPanels = 1;
#endif
  static constexpr std::size_t kRows =
      std::max<std::size_t>(1, std::min<std::size_t>(8, kRegisters / (kVectors * kPanels)));
};

template <class T>
struct Block {
  const T* a;  // element (row, k) is a[row * step + k], or a[k * step + row] when transposed
  Index step;
  Index depth;
  const T* panels;
  Index panel_step;  // from a panel to the next
  T* c;
  Index c_stride;
  Index columns;
  bool add;
};

template <bool Transposed, std::size_t Width, class T, std::size_t... At>
HWY_INLINE HWY_ATTR void Step(Tag<T> d, const T* a, Index step, const Vec<T> (&b)[Width], Vec<T> (&sum)[sizeof...(At)],
                              std::index_sequence<At...>) {
  ((sum[At] = hn::MulAdd(hn::Set(d, Transposed ? a[At / Width] : a[static_cast<Index>(At / Width) * step]),
                         b[At % Width], sum[At])),
   ...);
}

template <std::size_t Width, class T, std::size_t... At>
HWY_INLINE HWY_ATTR void LoadPanels(Tag<T> d, const T* panels, Index panel_step, Vec<T> (&b)[Width],
                                    std::index_sequence<At...>) {
  using Shape = Tiles<T>;
  ((b[At] = hn::Load(d, panels + static_cast<Index>(At / Shape::kVectors) * panel_step +
                            static_cast<Index>(At % Shape::kVectors) * Shape::kLanes)),
   ...);
}

template <class T, std::size_t... At>
HWY_INLINE HWY_ATTR void Clear(Tag<T> d, Vec<T> (&sum)[sizeof...(At)], std::index_sequence<At...>) {
  ((sum[At] = hn::Zero(d)), ...);
}

template <std::size_t Width, class T, std::size_t... At>
HWY_INLINE HWY_ATTR void StoreAll(Tag<T> d, const Vec<T> (&sum)[sizeof...(At)], T* c, Index stride, bool add,
                                  std::index_sequence<At...>) {
  const auto at = [=](std::size_t i) HWY_ATTR {
    return c + static_cast<Index>(i / Width) * stride + static_cast<Index>(i % Width) * Tiles<T>::kLanes;
  };
  if (add) {
    (hn::StoreU(hn::Add(hn::LoadU(d, at(At)), sum[At]), d, at(At)), ...);
  } else {
    (hn::StoreU(sum[At], d, at(At)), ...);
  }
}

// Rows x (Panels * kPanel) elements of c. Each is summed over k in ascending order by one multiply-add a step, in every
// tile shape alike.
template <bool Transposed, std::size_t Rows, std::size_t Panels, class T>
void Tile(const Block<T>& block) {
  constexpr std::size_t kWidth = Panels * Tiles<T>::kVectors;
  constexpr std::make_index_sequence<Rows * kWidth> all;
  const Tag<T> d;
  Vec<T> sum[Rows * kWidth];
  Clear<T>(d, sum, all);
  const T* a = block.a;
  const T* panels = block.panels;
  for (Index k = 0; k < block.depth; ++k, panels += kPanel, a += Transposed ? block.step : 1) {
    Vec<T> b[kWidth];
    LoadPanels<kWidth, T>(d, panels, block.panel_step, b, std::make_index_sequence<kWidth>());
    Step<Transposed, kWidth, T>(d, a, block.step, b, sum, all);
  }
  constexpr Index kAcross = static_cast<Index>(Panels) * kPanel;
  if (block.columns >= kAcross) {
    StoreAll<kWidth, T>(d, sum, block.c, block.c_stride, block.add, all);
    return;
  }
  HWY_ALIGN T part[Rows * Panels * static_cast<std::size_t>(kPanel)];
  StoreAll<kWidth, T>(d, sum, part, kAcross, false, all);
  for (Index row = 0; row < static_cast<Index>(Rows); ++row) {
    T* const c = block.c + row * block.c_stride;
    const T* const from = part + row * kAcross;
    if (block.add) {
      for (Index j = 0; j < block.columns; ++j) c[j] += from[j];
    } else {
      std::memcpy(c, from, static_cast<std::size_t>(block.columns) * sizeof(T));
    }
  }
}

template <class T>
using TileFunction = void (*)(const Block<T>&);

// By the number of rows, less one.
template <class T>
using TilesByRows = std::array<TileFunction<T>, Tiles<T>::kRows>;
template <bool Transposed, std::size_t Panels, class T, std::size_t... Rows>
constexpr TilesByRows<T> TilesOf(std::index_sequence<Rows...>) {
  return {&Tile<Transposed, Rows + 1, Panels, T>...};
}

// By the number of panels, less one.
template <bool Transposed, class T, std::size_t... Panels>
constexpr std::array<TilesByRows<T>, sizeof...(Panels)> TilesOfAllWidths(std::index_sequence<Panels...>) {
  return {TilesOf<Transposed, Panels + 1, T>(std::make_index_sequence<Tiles<T>::kRows>())...};
}

// All columns for a few rows of a block. Rows and panels are shared out evenly among the tiles.
template <bool Transposed, class T>
void RowsTimesPanels(Block<T> block, Index rows, Index all_columns) {
  constexpr Index kRows = static_cast<Index>(Tiles<T>::kRows), kPanels = static_cast<Index>(Tiles<T>::kPanels);
  static constexpr auto kTiles = TilesOfAllWidths<Transposed, T>(std::make_index_sequence<Tiles<T>::kPanels>());
  const Index down = (rows + kRows - 1) / kRows;
  const T* const a = block.a;
  T* const c = block.c;
  for (Index column = 0; column < all_columns;) {
    block.columns = all_columns - column;
    const Index panels = (block.columns + kPanel - 1) / kPanel, across = (panels + kPanels - 1) / kPanels;
    const Index wide = (panels + across - 1) / across;
    const TilesByRows<T>& tiles = kTiles[static_cast<std::size_t>(wide - 1)];
    for (Index tile = 0; tile < down; ++tile) {
      const Index first = rows * tile / down, count = rows * (tile + 1) / down - first;
      block.a = a + first * (Transposed ? 1 : block.step);
      block.c = c + first * block.c_stride + column;
      tiles[static_cast<std::size_t>(count - 1)](block);
    }
    column += wide * kPanel;
    block.panels += wide * block.panel_step;
  }
}

// `count` stored rows, from number `first` of each on.
template <class T>
void CopyLines(const Operand<T>& a, Index line, Index count, Index first, Index length, T* to) {
  for (Index i = 0; i < count; ++i)
    std::memcpy(to + i * kBlockStride, a.line(line + i) + first, static_cast<std::size_t>(length) * sizeof(T));
}

// c (+)= a b, K = a.columns > 0; `copy` has room for one block of a.
//
// By groups of columns whose panels stay in the second-level cache. Where a group is as deep as b, all blocks of a band
// of a one after another, so that c is finished while it is near; else by parts of K first, so that the panels of a
// part stay.
template <class T>
void Product(const Operand<T>& a, RightMatrix<T>& b, T* c, Index c_stride, bool add, T* copy) {
  const Index depths = (a.columns + kDepth - 1) / kDepth, bands = (a.rows + kRows - 1) / kRows;
  const bool in_place = !a.transposed && !a.lines && a.stride < kFarApart;
  const auto begin_of = [&](Index part) { return a.columns * part / depths; };
  const auto multiply_block = [&](Index band, Index part, Index column, Index width) HWY_ATTR {
    const Index row = band * kRows, rows = std::min(kRows, a.rows - row);
    const Index k = begin_of(part), depth = begin_of(part + 1) - k;
    Block<T> block{.a = in_place ? a.data + row * a.stride + k : copy,
                   .step = in_place ? a.stride : kBlockStride,
                   .depth = depth,
                   .panels = b.panels(column, k),
                   .panel_step = b.panel_step(),
                   .c = c + row * c_stride + column,
                   .c_stride = c_stride,
                   .columns = 0,
                   .add = add || part > 0};
    if (!in_place) {
      if (a.transposed) CopyLines(a, k, depth, row, rows, copy);
      else CopyLines(a, row, rows, k, depth, copy);
    }
    if (a.transposed) RowsTimesPanels<true, T>(block, rows, width);
    else RowsTimesPanels<false, T>(block, rows, width);
  };
  for (Index column = 0; column < b.columns; column += b.group.wide) {
    const Index width = std::min(b.group.wide, b.columns - column);
    if (b.group.deep == a.columns) {
      b.bring(column, width, 0, a.columns);
      for (Index band = 0; band < bands; ++band)
        for (Index part = 0; part < depths; ++part) multiply_block(band, part, column, width);
    } else {
      for (Index part = 0; part < depths; ++part) {
        b.bring(column, width, begin_of(part), begin_of(part + 1) - begin_of(part));
        for (Index band = 0; band < bands; ++band) multiply_block(band, part, column, width);
      }
    }
  }
}

void ProductFloat(const Operand<float>& a, RightMatrix<float>& b, float* c, Index c_stride, bool add, float* copy) {
  Product<float>(a, b, c, c_stride, add, copy);
}
void ProductDouble(const Operand<double>& a, RightMatrix<double>& b, double* c, Index c_stride, bool add,
                   double* copy) {
  Product<double>(a, b, c, c_stride, add, copy);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
namespace {

HWY_EXPORT(ProductFloat);
HWY_EXPORT(ProductDouble);

void multiply(const Operand<float>& a, RightMatrix<float> b, float* c, Index c_stride, bool add) {
  alignas(64) thread_local float copy[kDepth * kBlockStride];
  choose_simd();
  HWY_DYNAMIC_DISPATCH(ProductFloat)(a, b, c, c_stride, add, copy);
}

void multiply(const Operand<double>& a, RightMatrix<double> b, double* c, Index c_stride, bool add) {
  alignas(64) thread_local double copy[kDepth * kBlockStride];
  choose_simd();
  HWY_DYNAMIC_DISPATCH(ProductDouble)(a, b, c, c_stride, add, copy);
}

// Whether there is nothing to multiply. An empty sum is 0.
template <class T>
bool is_empty(const Operand<T>& a, Matrix<T> c, Into into, Index c_stride) {
  if (c.empty()) return true;
  if (a.columns > 0) return false;
  if (into == Into::add) return true;
  for (Index i = 0; i < c.size(0); ++i) std::fill_n(c.data() + i * c_stride, c.size(1), T{});
  return true;
}

}  // namespace

template <class T>
void matmul_packed(Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c, Into into, Index c_stride) {
  assert(a.columns == b.rows && a.rows == c.size(0) && b.columns == c.size(1));
  if (c_stride == 0) c_stride = c.size(1);
  if (is_empty(a, c, into, c_stride)) return;
  if constexpr (std::is_same_v<T, float>) {
    assert(!a.lines || b.products == Products::full);
    if (b.products == Products::bf16x3)
      return bf16x3::multiply(a, reinterpret_cast<const std::uint32_t*>(b.panels), b.depth / bf16x3::chunk, b.columns,
                              c.data(), c_stride, into == Into::add);
  }
  multiply(a, RightMatrix<T>(b), c.data(), c_stride, into == Into::add);
}

template <class T>
void matmul_packing(Operand<T> a, const Operand<T>& b, Matrix<T> c, Into into, Index c_stride) {
  assert(a.columns == b.rows && a.rows == c.size(0) && b.columns == c.size(1));
  if (c_stride == 0) c_stride = c.size(1);
  if (is_empty(a, c, into, c_stride)) return;
  multiply(a, RightMatrix<T>(b), c.data(), c_stride, into == Into::add);
}

#define FOVEA_INSTANTIATE(T)                                                               \
  template void matmul_packed(Operand<T>, const PackedMatrix<T>&, Matrix<T>, Into, Index); \
  template void matmul_packing(Operand<T>, const Operand<T>&, Matrix<T>, Into, Index);
FOVEA_INSTANTIATE(float)
FOVEA_INSTANTIATE(double)
#undef FOVEA_INSTANTIATE

}  // namespace fovea
#endif  // HWY_ONCE
