#include "fovea/nn/simd/attention_rows.h"

#include <algorithm>
#include <limits>

#include "fovea/base/functions/functions.h"
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
using fovea::HWY_NAMESPACE::SumLanes;

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
    const Index i = a.positions[r];
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
    const Index i = a.positions[r];
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
    const V share = hn::Set(d, 1.0f / SumLanes(d, sum));
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
    const Index i = slopes.positions[r];
    V sum = hn::Zero(d);
    Index j = 0;
    for (; j <= i; j += lanes) {
      const V of_row = Within(d, hn::LoadU(d, row + j), i + 1 - j, hn::Zero(d));
      sum = hn::MulAdd(hn::LoadU(d, a + j), of_row, sum);
      hn::StoreU(of_row, d, row + j);
    }
    const V mean = hn::Set(d, SumLanes(d, sum)), factor = hn::Set(d, scale);
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
    const Index i = shifts.positions[r];
    Index delta = 0;
    for (; delta <= i; delta += lanes) {
      const V x = Backwards(d, from + r * shifts.stride, i - delta);
      hn::StoreU(Within(d, x, i + 1 - delta, hn::Zero(d)), d, shifts.row(r) + delta);
    }
    ClearBehind(d, shifts.row(r), delta, shifts.stride);
  }
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
    const Index i = a.positions[r];
    for (Index j = 0; j <= i; ++j) row[j] = scale * (row[j] + (shifts ? shifts[r * a.stride + i - j] : 0));
    std::fill(row + i + 1, row + a.stride, 0.0);
  }
}

void softmax_rows(const Rows<double>& a, double scale, const double* shifts) {
  score_rows(a, scale, shifts);
  for (Index r = 0; r < a.count; ++r) {
    double *const row = a.row(r), *const end = row + a.positions[r] + 1;
    const double highest = *std::max_element(row, end);
    double sum = 0;
    for (double* x = row; x < end; ++x) sum += * x = math::exp(*x - highest);
    for (double* x = row; x < end; ++x) *x /= sum;
  }
}

void softmax_slopes(const Rows<double>& d, const double* weights, double scale) {
  for (Index r = 0; r < d.count; ++r) {
    double* const row = d.row(r);
    const double* const a = weights + r * d.stride;
    const Index i = d.positions[r];
    double mean = 0;
    for (Index j = 0; j <= i; ++j) mean += a[j] * row[j];
    for (Index j = 0; j <= i; ++j) row[j] = scale * a[j] * (row[j] - mean);
    std::fill(row + i + 1, row + d.stride, 0.0);
  }
}

void by_distance(const Rows<double>& shifts, const double* d) {
  for (Index r = 0; r < shifts.count; ++r) {
    const Index i = shifts.positions[r];
    for (Index delta = 0; delta <= i; ++delta) shifts.row(r)[delta] = d[r * shifts.stride + i - delta];
    std::fill(shifts.row(r) + i + 1, shifts.row(r) + shifts.stride, 0.0);
  }
}

}  // namespace fovea::attention_rows
#endif  // HWY_ONCE
