#include "fovea/math/software_unit.h"

#include <algorithm>

#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/math/software_unit.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::bf16x3 {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, static_cast<std::size_t>(lines)>;
using V = hn::Vec<D>;

// Numbers below 2^-126 as 0, where the processor has not been told to make them so.
HWY_INLINE V Flushed(D d, V x) {
#if HWY_ARCH_X86
  static_cast<void>(d);
  return x;
#else
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-126f)), hn::And(x, hn::Set(d, -0.0f)), x);
#endif
}

void Expand(const std::uint32_t* tile, float* halves) {
  const D d;
  const hn::RebindToUnsigned<D> u;
  const auto upper = hn::Set(u, 0xFFFF0000u);
  for (Index i = 0; i < tile_words; i += static_cast<Index>(hn::Lanes(d))) {
    const auto words = hn::LoadU(u, tile + i);
    hn::Store(hn::BitCast(d, hn::ShiftLeft<16>(words)), d, halves + i);
    hn::Store(hn::BitCast(d, hn::And(words, upper)), d, halves + tile_words + i);
  }
}

// As many rows at a time as registers hold the even and odd sums of.
constexpr Index kTogether = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 ? 8 : 4;

void Multiply(const float* rows, const float* panel, float* sums) {
  const D d;
  constexpr Index kPairs = chunk / 2;
  for (Index j = 0; j < lines; j += static_cast<Index>(hn::Lanes(d))) {
    for (Index i = 0; i < lines; i += kTogether) {
      V even[kTogether], odd[kTogether];
      for (Index r = 0; r < kTogether; ++r) even[r] = odd[r] = hn::Zero(d);
      for (Index p = 0; p < kPairs; ++p) {
        const V b_even = hn::Load(d, panel + p * lines + j), b_odd = hn::Load(d, panel + tile_words + p * lines + j);
        for (Index r = 0; r < kTogether; ++r) {
          const float* const a = rows + (i + r) * kPairs + p;
          even[r] = Flushed(d, hn::MulAdd(hn::Set(d, a[0]), b_even, even[r]));
          odd[r] = Flushed(d, hn::MulAdd(hn::Set(d, a[tile_words]), b_odd, odd[r]));
        }
      }
      for (Index r = 0; r < kTogether; ++r) {
        float* const c = sums + (i + r) * lines + j;
        const V before = Flushed(d, hn::Load(d, c));
        hn::Store(Flushed(d, hn::Add(before, Flushed(d, hn::Add(even[r], odd[r])))), d, c);
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::bf16x3
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#if HWY_ARCH_X86
#include <xmmintrin.h>
#endif

namespace fovea::bf16x3 {
namespace {
HWY_EXPORT(Expand);
HWY_EXPORT(Multiply);
}  // namespace

#if HWY_ARCH_X86
SoftwareUnit::SoftwareUnit() : before_(_mm_getcsr()) {
  choose_simd();
  constexpr unsigned kResultsToZero = 1u << 15, kInputsToZero = 1u << 6;
  _mm_setcsr(before_ | kResultsToZero | kInputsToZero);
}
SoftwareUnit::~SoftwareUnit() { _mm_setcsr(before_); }
#else
SoftwareUnit::SoftwareUnit() { choose_simd(); }
SoftwareUnit::~SoftwareUnit() = default;
#endif

void SoftwareUnit::copy(const float* from, Index from_stride, float* to, Index to_stride) {
  for (Index i = 0; i < lines; ++i) std::copy_n(from + i * from_stride, lines, to + i * to_stride);
}
void SoftwareUnit::expand(const std::uint32_t* tile, float* halves) { HWY_DYNAMIC_DISPATCH(Expand)(tile, halves); }
void SoftwareUnit::multiply(const float* rows, const float* panel, float* sums) {
  HWY_DYNAMIC_DISPATCH(Multiply)(rows, panel, sums);
}

}  // namespace fovea::bf16x3
#endif  // HWY_ONCE
