// Rearranges right-hand matrices, as math/packed.h declares (room math). Kernels fill whole panels; the edge is
// filled number by number.
#include <algorithm>
#include <cassert>
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

// Whole panels [begin, end) of a matrix whose rows are lines in memory, some of them at a time so that lines are read
// on.
template <class T>
void CopyPanels(const Operand<T>& b, Index begin, Index end, T* panels) {
  constexpr Index kTogether = 32;
  const hn::CappedTag<T, panel_width> d;
  for (Index first = begin; first < end; first += kTogether) {
    const Index width = std::min(kTogether, end - first) * panel_width;
    for (Index k = 0; k < b.rows; ++k) {
      const T* const line = b.line(k) + first * panel_width;
      T* const row = panels + first * panel_width * b.rows + k * panel_width;
      for (Index j = 0; j < width; j += panel_width)
        for (Index i = 0; i < panel_width; i += static_cast<Index>(hn::Lanes(d)))
          hn::StoreU(hn::LoadU(d, line + j + i), d, row + j * b.rows + i);
    }
  }
}

// A whole panel whose columns are lines in memory, from line `first` on: a cache line of each at a time, and of that
// four by four numbers.
template <class T>
void TurnPanel(const Operand<T>& b, Index first, T* to) {
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
    for (; k + kLine <= b.rows; k += kLine)
      for (Index j = 0; j < panel_width; j += 4) {
        const float* const line0 = b.line(first + j);
        const float* const line1 = b.line(first + j + 1);
        const float* const line2 = b.line(first + j + 2);
        const float* const line3 = b.line(first + j + 3);
        for (Index i = k; i < k + kLine; i += 4) {
          float* const row = to + i * panel_width + j;
          const auto x0 = hw::LoadU(d, line0 + i), x1 = hw::LoadU(d, line1 + i);
          const auto x2 = hw::LoadU(d, line2 + i), x3 = hw::LoadU(d, line3 + i);
          const auto low01 = hw::InterleaveLower(d, x0, x1), low23 = hw::InterleaveLower(d, x2, x3);
          const auto up01 = hw::InterleaveUpper(d, x0, x1), up23 = hw::InterleaveUpper(d, x2, x3);
          hw::StoreU(lower(low01, low23), d, row);
          hw::StoreU(upper(low01, low23), d, row + panel_width);
          hw::StoreU(lower(up01, up23), d, row + 2 * panel_width);
          hw::StoreU(upper(up01, up23), d, row + 3 * panel_width);
        }
      }
  }
#endif
  for (; k < b.rows; ++k)
    for (Index j = 0; j < panel_width; ++j) to[k * panel_width + j] = b.line(first + j)[k];
}

// Whole panels [begin, end) of b.
template <class T>
void PackWhole(const Operand<T>& b, Index begin, Index end, T* panels) {
  if (!b.transposed) return CopyPanels<T>(b, begin, end, panels);
  for (Index panel = begin; panel < end; ++panel)
    TurnPanel<T>(b, panel * panel_width, panels + panel * panel_width * b.rows);
}

void PackFloat(const Operand<float>& b, Index begin, Index end, float* panels) {
  PackWhole<float>(b, begin, end, panels);
}
void PackDouble(const Operand<double>& b, Index begin, Index end, double* panels) {
  PackWhole<double>(b, begin, end, panels);
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
  assert(!b.lines);
  static_assert(panel_width == bf16x3::lines && panel_width * bf16x3::chunk == bf16x3::split_tile_words);
  const Index first = begin * panel_width, columns = std::min(end * panel_width, b.columns) - first;
  bf16x3::split_columns(
      columns_of(b, first, columns),
      reinterpret_cast<std::uint32_t*>(panels) + begin * bf16x3::chunks_of(b.rows) * bf16x3::split_tile_words);
}

void pack_whole(const Operand<float>& b, Index begin, Index end, float* panels) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(PackFloat)(b, begin, end, panels);
}
void pack_whole(const Operand<double>& b, Index begin, Index end, double* panels) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(PackDouble)(b, begin, end, panels);
}

}  // namespace

template <class T>
void pack_panels(Products products, Operand<T> b, Index begin, Index end, T* panels) {
  if constexpr (std::is_same_v<T, float>) {
    if (products == Products::bf16x3) return split_panels(b, begin, end, panels);
  }
  const Index whole = std::min(end, b.columns / panel_width);
  if (begin < whole) pack_whole(b, begin, whole, panels);
  if (std::min(end * panel_width, b.columns) <= whole * panel_width) return;
  const Index first = whole * panel_width, width = b.columns - first;  // what is left makes one panel more
  T* to = panels + first * b.rows;
  for (Index k = 0; k < b.rows; ++k, to += panel_width)
    for (Index j = 0; j < panel_width; ++j)
      to[j] = j >= width ? T{} : b.transposed ? b.line(first + j)[k] : b.line(k)[first + j];
}

template <class T>
PackedMatrix<T> pack(Arena& arena, Products products, Operand<T> b) {
  T* const panels = arena.take<T>(packed_size(products, b)).data();
  pack_panels(products, b, 0, panels_of(b), panels);
  return {products, panels, b.rows, b.columns};
}

#define FOVEA_INSTANTIATE(T)                                         \
  template void pack_panels(Products, Operand<T>, Index, Index, T*); \
  template PackedMatrix<T> pack(Arena&, Products, Operand<T>);
FOVEA_INSTANTIATE(float)
FOVEA_INSTANTIATE(double)
#undef FOVEA_INSTANTIATE

}  // namespace fovea
#endif  // HWY_ONCE
