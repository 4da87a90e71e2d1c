#include "fovea/nn/simd/attention_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/math/packed.h"
#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/attention_rows.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

#include "fovea/math/vector_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::attention_rows {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, row_grain>;
using V = hn::Vec<D>;
using fovea::HWY_NAMESPACE::ExpVector;

// Rows are read vector by vector to their end and beyond; lanes behind the end are replaced by what is given.
template <class Filler>
HWY_INLINE V Within(D d, V x, Index left, Filler filler) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  return left >= lanes ? x : hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(left)), x, filler);
}

// Numbers [at - lanes + 1, at] of a row, the last first.
HWY_INLINE V Backwards(D d, const float* row, Index at) {
  return hn::Reverse(d, hn::LoadU(d, row + at - static_cast<Index>(hn::Lanes(d)) + 1));
}

HWY_INLINE V Score(D d, const float* a, const float* shifts, Index i, Index j, V scale) {
  V s = hn::LoadU(d, a + j);
  if (shifts != nullptr) s = hn::Add(s, Backwards(d, shifts, i - j));
  return hn::Mul(scale, s);
}

void ClearBehind(D d, float* row, Index from, Index stride) {
  for (Index j = from; j < stride; j += static_cast<Index>(hn::Lanes(d))) hn::StoreU(hn::Zero(d), d, row + j);
}

void ScoreRows(const Rows<float>& a, float scale, const float* shifts) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < a.count; ++r) {
    float* const row = a.row(r);
    const Index i = a.begin + r;
    Index j = 0;
    for (; j <= i; j += lanes) {
      const V s = Score(d, row, shifts ? shifts + r * a.stride : nullptr, i, j, hn::Set(d, scale));
      hn::StoreU(Within(d, s, i + 1 - j, hn::Zero(d)), d, row + j);
    }
    ClearBehind(d, row, j, a.stride);
  }
}

void SoftmaxRows(const Rows<float>& a, float scale, const float* shifts) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const V least = hn::Set(d, -std::numeric_limits<float>::infinity()), factor = hn::Set(d, scale);
  for (Index r = 0; r < a.count; ++r) {
    float* const row = a.row(r);
    const float* const shift = shifts ? shifts + r * a.stride : nullptr;
    const Index i = a.begin + r;
    V highest = least;
    for (Index j = 0; j <= i; j += lanes) {
      const V s = Within(d, Score(d, row, shift, i, j, factor), i + 1 - j, least);
      highest = hn::Max(highest, s);
      hn::StoreU(s, d, row + j);
    }
    highest = hn::MaxOfLanes(d, highest);
    V sum = hn::Zero(d);
    Index j = 0;
    for (; j <= i; j += lanes) {  // where something is no number, so is the sum
      const V e = ExpVector(d, hn::Sub(hn::LoadU(d, row + j), highest));
      sum = hn::Add(sum, e);
      hn::StoreU(e, d, row + j);
    }
    const V share = hn::Set(d, 1.0f / hn::GetLane(hn::SumOfLanes(d, sum)));
    for (j = 0; j <= i; j += lanes)
      hn::StoreU(Within(d, hn::Mul(share, hn::LoadU(d, row + j)), i + 1 - j, hn::Zero(d)), d, row + j);
    ClearBehind(d, row, j, a.stride);
  }
}

void SoftmaxSlopes(const Rows<float>& slopes, const float* weights, float scale) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < slopes.count; ++r) {
    float* const row = slopes.row(r);
    const float* const a = weights + r * slopes.stride;
    const Index i = slopes.begin + r;
    V sum = hn::Zero(d);
    Index j = 0;
    for (; j <= i; j += lanes) {
      const V of_row = Within(d, hn::LoadU(d, row + j), i + 1 - j, hn::Zero(d));
      sum = hn::MulAdd(hn::LoadU(d, a + j), of_row, sum);
      hn::StoreU(of_row, d, row + j);
    }
    const V mean = hn::SumOfLanes(d, sum), factor = hn::Set(d, scale);
    for (j = 0; j <= i; j += lanes) {
      const V of_row = hn::Mul(hn::Mul(factor, hn::LoadU(d, a + j)), hn::Sub(hn::LoadU(d, row + j), mean));
      hn::StoreU(Within(d, of_row, i + 1 - j, hn::Zero(d)), d, row + j);
    }
    ClearBehind(d, row, j, slopes.stride);
  }
}

void ByDistance(const Rows<float>& shifts, const float* from) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < shifts.count; ++r) {
    const Index i = shifts.begin + r;
    Index delta = 0;
    for (; delta <= i; delta += lanes) {
      const V x = Backwards(d, from + r * shifts.stride, i - delta);
      hn::StoreU(Within(d, x, i + 1 - delta, hn::Zero(d)), d, shifts.row(r) + delta);
    }
    ClearBehind(d, shifts.row(r), delta, shifts.stride);
  }
}

// Sixteen lines of b become the columns of a panel, four by four numbers at a time.
void TransposePanel(const float* b, Index stride, Index depth, float* panel) {
  Index k = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const auto halves = [&](auto lower, auto x, auto y) HWY_ATTR {
    return lower ? hn::BitCast(d, hn::InterleaveLower(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)))
                 : hn::BitCast(d, hn::InterleaveUpper(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
  };
  for (; k + 4 <= depth; k += 4) {
    for (Index j = 0; j < panel_width; j += 4) {
      const float* const from = b + j * stride + k;
      const auto x0 = hn::LoadU(d, from), x1 = hn::LoadU(d, from + stride);
      const auto x2 = hn::LoadU(d, from + 2 * stride), x3 = hn::LoadU(d, from + 3 * stride);
      const auto low01 = hn::InterleaveLower(d, x0, x1), low23 = hn::InterleaveLower(d, x2, x3);
      const auto up01 = hn::InterleaveUpper(d, x0, x1), up23 = hn::InterleaveUpper(d, x2, x3);
      float* const to = panel + k * panel_width + j;
      hn::StoreU(halves(true, low01, low23), d, to);
      hn::StoreU(halves(false, low01, low23), d, to + panel_width);
      hn::StoreU(halves(true, up01, up23), d, to + 2 * panel_width);
      hn::StoreU(halves(false, up01, up23), d, to + 3 * panel_width);
    }
  }
#endif
  for (; k < depth; ++k)
    for (Index j = 0; j < panel_width; ++j) panel[k * panel_width + j] = b[j * stride + k];
}

void TransposePanels(const float* b, Index stride, Index lines, Index depth, float* panels) {
  for (Index line = 0; line < lines; line += panel_width)
    TransposePanel(b + line * stride, stride, depth, panels + line * depth);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::attention_rows
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::attention_rows {

namespace {

HWY_EXPORT(ScoreRows);
HWY_EXPORT(SoftmaxRows);
HWY_EXPORT(SoftmaxSlopes);
HWY_EXPORT(ByDistance);
HWY_EXPORT(TransposePanels);

template <class T>
void copy_panels(const T* b, Index stride, Index rows, Index columns, T* panels) {
  for (Index first = 0; first < columns; first += panel_width) {
    T* to = panels + first * rows;
    const Index width = std::min(panel_width, columns - first);
    for (Index k = 0; k < rows; ++k, to += panel_width) {
      const T* const from = b + k * stride + first;
      if (width == panel_width) {
        for (Index j = 0; j < panel_width; ++j) to[j] = from[j];
      } else {
        for (Index j = 0; j < panel_width; ++j) to[j] = j < width ? from[j] : T{0};
      }
    }
  }
}

}  // namespace

void score_rows(const Rows<float>& a, float scale, const float* shifts) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(ScoreRows)(a, scale, shifts);
}
void softmax_rows(const Rows<float>& a, float scale, const float* shifts) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(SoftmaxRows)(a, scale, shifts);
}
void softmax_slopes(const Rows<float>& d, const float* a, float scale) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(SoftmaxSlopes)(d, a, scale);
}
void by_distance(const Rows<float>& shifts, const float* d) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(ByDistance)(shifts, d);
}

void score_rows(const Rows<double>& a, double scale, const double* shifts) {
  for (Index r = 0; r < a.count; ++r) {
    double* const row = a.row(r);
    const Index i = a.begin + r;
    for (Index j = 0; j <= i; ++j) row[j] = scale * (row[j] + (shifts ? shifts[r * a.stride + i - j] : 0));
    std::fill(row + i + 1, row + a.stride, 0.0);
  }
}

void softmax_rows(const Rows<double>& a, double scale, const double* shifts) {
  score_rows(a, scale, shifts);
  for (Index r = 0; r < a.count; ++r) {
    double *const row = a.row(r), *const end = row + a.begin + r + 1;
    const double highest = *std::max_element(row, end);
    double sum = 0;
    for (double* x = row; x < end; ++x) sum += * x = std::exp(*x - highest);
    for (double* x = row; x < end; ++x) *x /= sum;
  }
}

void softmax_slopes(const Rows<double>& d, const double* weights, double scale) {
  for (Index r = 0; r < d.count; ++r) {
    double* const row = d.row(r);
    const double* const a = weights + r * d.stride;
    const Index i = d.begin + r;
    double mean = 0;
    for (Index j = 0; j <= i; ++j) mean += a[j] * row[j];
    for (Index j = 0; j <= i; ++j) row[j] = scale * a[j] * (row[j] - mean);
    std::fill(row + i + 1, row + d.stride, 0.0);
  }
}

void by_distance(const Rows<double>& shifts, const double* d) {
  for (Index r = 0; r < shifts.count; ++r) {
    const Index i = shifts.begin + r;
    for (Index delta = 0; delta <= i; ++delta) shifts.row(r)[delta] = d[r * shifts.stride + i - delta];
    std::fill(shifts.row(r) + i + 1, shifts.row(r) + shifts.stride, 0.0);
  }
}

void pack_plain(const float* b, Index stride, Index rows, Index columns, float* panels) {
  copy_panels(b, stride, rows, columns, panels);
}
void pack_plain(const double* b, Index stride, Index rows, Index columns, double* panels) {
  copy_panels(b, stride, rows, columns, panels);
}

void pack_transposed(const float* b, Index stride, Index rows, Index columns, float* panels) {
  choose_simd();
  const Index whole = rows / panel_width * panel_width;
  HWY_DYNAMIC_DISPATCH(TransposePanels)(b, stride, whole, columns, panels);
  if (whole < rows)
    pack_panels(Products::full, Operand<float>{b + whole * stride, columns, rows - whole, stride, true}, 0, 1,
                panels + whole * columns);
}
void pack_transposed(const double* b, Index stride, Index rows, Index columns, double* panels) {
  const Operand<double> turned{b, columns, rows, stride, true};
  pack_panels(Products::full, turned, 0, panels_of(turned), panels);
}

}  // namespace fovea::attention_rows
#endif  // HWY_ONCE
