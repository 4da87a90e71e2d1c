// How right-hand matrices are rearranged (math/packed.h): whole panels by kernels, what is left at the edge number by
// number.
#include <algorithm>
#include <new>
#include <type_traits>

#include "fovea/math/packed.h"
#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/math/panels.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "fovea/math/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace {

namespace hn = fovea::HWY_NAMESPACE::lanes;

// Whole panels of a matrix whose rows are lines in memory, `together` of them at a time so that lines are read on.
template <class T>
void CopyPanels(const T* from, Index stride, Index depth, Index count, T* to) {
  constexpr Index kTogether = 4;
  const hn::CappedTag<T, panel_width> d;
  for (Index first = 0; first < count; first += kTogether) {
    const Index width = std::min(kTogether, count - first) * panel_width;
    for (Index k = 0; k < depth; ++k) {
      const T* const line = from + k * stride + first * panel_width;
      T* const row = to + first * panel_width * depth + k * panel_width;
      for (Index j = 0; j < width; j += panel_width)
        for (Index i = 0; i < panel_width; i += static_cast<Index>(hn::Lanes(d)))
          hn::StoreU(hn::LoadU(d, line + j + i), d, row + j * depth + i);
    }
  }
}

// A whole panel whose columns are lines in memory: a cache line of each at a time, and of that four by four numbers.
template <class T>
void TurnPanel(const T* from, Index stride, Index depth, T* to) {
  Index k = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    constexpr Index kLine = 16;
    namespace hw = hwy::HWY_NAMESPACE;
    const hw::FixedTag<float, 4> d;
    const hw::RepartitionToWide<decltype(d)> wide;
    const auto lower = [=](auto x, auto y) HWY_ATTR {
      return hw::BitCast(d, hw::InterleaveLower(wide, hw::BitCast(wide, x), hw::BitCast(wide, y)));
    };
    const auto upper = [=](auto x, auto y) HWY_ATTR {
      return hw::BitCast(d, hw::InterleaveUpper(wide, hw::BitCast(wide, x), hw::BitCast(wide, y)));
    };
    for (; k + kLine <= depth; k += kLine)
      for (Index j = 0; j < panel_width; j += 4)
        for (Index i = k; i < k + kLine; i += 4) {
          const float* const at = from + j * stride + i;
          float* const row = to + i * panel_width + j;
          const auto x0 = hw::LoadU(d, at), x1 = hw::LoadU(d, at + stride);
          const auto x2 = hw::LoadU(d, at + 2 * stride), x3 = hw::LoadU(d, at + 3 * stride);
          const auto low01 = hw::InterleaveLower(d, x0, x1), low23 = hw::InterleaveLower(d, x2, x3);
          const auto up01 = hw::InterleaveUpper(d, x0, x1), up23 = hw::InterleaveUpper(d, x2, x3);
          hw::StoreU(lower(low01, low23), d, row);
          hw::StoreU(upper(low01, low23), d, row + panel_width);
          hw::StoreU(lower(up01, up23), d, row + 2 * panel_width);
          hw::StoreU(upper(up01, up23), d, row + 3 * panel_width);
        }
  }
#endif
  for (; k < depth; ++k)
    for (Index j = 0; j < panel_width; ++j) to[k * panel_width + j] = from[j * stride + k];
}

// `count` whole panels of b, `depth` deep, from one that begins at `from`.
template <class T>
void PackWhole(const T* from, Index stride, bool turned, Index depth, Index count, T* to) {
  if (!turned) return CopyPanels<T>(from, stride, depth, count, to);
  for (Index panel = 0; panel < count; ++panel)
    TurnPanel<T>(from + panel * panel_width * stride, stride, depth, to + panel * panel_width * depth);
}

void PackFloat(const float* from, Index stride, bool turned, Index depth, Index count, float* to) {
  PackWhole<float>(from, stride, turned, depth, count, to);
}
void PackDouble(const double* from, Index stride, bool turned, Index depth, Index count, double* to) {
  PackWhole<double>(from, stride, turned, depth, count, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
namespace {

HWY_EXPORT(PackFloat);
HWY_EXPORT(PackDouble);

// Split panels hold words, in the memory of as many floats.
void split_panels(Operand<float> b, Index begin, Index end, float* panels) {
  static_assert(panel_width == bf16x3::lines && panel_width * bf16x3::chunk == bf16x3::split_tile_words);
  const Index first = begin * panel_width, columns = std::min(end * panel_width, b.columns) - first;
  bf16x3::split_columns(
      {b.data + first * (b.transposed ? b.stride : 1), b.rows, columns, b.stride, b.transposed},
      reinterpret_cast<std::uint32_t*>(panels) + begin * bf16x3::chunks_of(b.rows) * bf16x3::split_tile_words);
}

void pack_whole(const float* from, const Operand<float>& b, Index count, float* to) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(PackFloat)(from, b.stride, b.transposed, b.rows, count, to);
}
void pack_whole(const double* from, const Operand<double>& b, Index count, double* to) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(PackDouble)(from, b.stride, b.transposed, b.rows, count, to);
}

}  // namespace

template <class T>
void pack_panels(Products products, Operand<T> b, Index begin, Index end, T* panels) {
  if constexpr (std::is_same_v<T, float>) {
    if (products == Products::bf16x3) return split_panels(b, begin, end, panels);
  }
  const Index across = b.transposed ? b.stride : 1, down = b.transposed ? 1 : b.stride;
  const Index whole = std::min(end, b.columns / panel_width);
  if (begin < whole)
    pack_whole(b.data + begin * panel_width * across, b, whole - begin, panels + begin * panel_width * b.rows);
  if (std::min(end * panel_width, b.columns) <= whole * panel_width) return;
  const Index first = whole * panel_width, width = b.columns - first;  // what is left makes one panel more
  T* to = panels + first * b.rows;
  for (Index k = 0; k < b.rows; ++k, to += panel_width)
    for (Index j = 0; j < panel_width; ++j) to[j] = j < width ? b.data[(first + j) * across + k * down] : T{};
}

template <class T>
PackedMatrix<T> pack(Arena& arena, Products products, Operand<T> b) {
  T* const panels = arena.take<T>(packed_size(products, b)).data();
  pack_panels(products, b, 0, panels_of(b), panels);
  return {products, panels, b.rows, b.columns};
}

template <class T>
T* packing_space(std::size_t count) {
  struct Space {
    T* data = nullptr;
    std::size_t size = 0;
    ~Space() { release(); }
    void release() { ::operator delete(data, std::align_val_t(64)); }
  };
  thread_local Space space;
  if (space.size < count) {
    space.release();
    space.data = nullptr;
    space.size = 0;
    space.data = static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(64)));
    space.size = count;
  }
  return space.data;
}

#define FOVEA_INSTANTIATE(T)                                         \
  template void pack_panels(Products, Operand<T>, Index, Index, T*); \
  template PackedMatrix<T> pack(Arena&, Products, Operand<T>);       \
  template T* packing_space<T>(std::size_t);
FOVEA_INSTANTIATE(float)
FOVEA_INSTANTIATE(double)
#undef FOVEA_INSTANTIATE

}  // namespace fovea
#endif  // HWY_ONCE
