#include "fovea/nn/simd/running_softmax.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "fovea/base/functions/functions.h"
#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/running_softmax.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

#include "fovea/math/vector_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

float Highest(const float* s, std::size_t count) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V best = hn::Set(d, -std::numeric_limits<float>::infinity()), other = best;
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    best = hn::Max(best, hn::LoadU(d, s + i));
    other = hn::Max(other, hn::LoadU(d, s + i + lanes));
  }
  float highest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(best, other)));
  for (; i < count; ++i) highest = std::max(highest, s[i]);
  return highest;
}

// What is summed over a row: weights, and weights times one column of values, and both times s - high.
struct Sums {
  V weights, values, slopes, slopes_of_values;
};

template <bool Slopes>
HWY_INLINE void Add(V weight, V below, V value, Sums& sums) {
  sums.weights = hn::Add(sums.weights, weight);
  sums.values = hn::MulAdd(weight, value, sums.values);
  if constexpr (Slopes) {
    const V slope = hn::Mul(weight, below);
    sums.slopes = hn::Add(sums.slopes, slope);
    sums.slopes_of_values = hn::MulAdd(slope, value, sums.slopes_of_values);
  }
}

// s becomes exp(s - high). Adds weights to sums[columns], and so on, and what the first column of values gives to
// sums[0]; `below` keeps s - high.
template <bool Slopes>
void Weigh(float* s, std::size_t count, float high, const float* values, std::size_t columns, float* sums,
           float* slopes, float* below) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  Sums sum{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  const V highest = hn::Set(d, high), least = hn::Set(d, -104.0f);  // exp is 0 from there on
  for (std::size_t i = 0; i < count; i += lanes) {
    const bool whole = i + lanes <= count;
    const V similarity =
        whole ? hn::LoadU(d, s + i) : LoadPart(d, s + i, count - i, -std::numeric_limits<float>::infinity());
    const V value = columns == 0 ? hn::Zero(d)
                    : whole      ? hn::LoadU(d, values + i)
                                 : LoadPart(d, values + i, count - i, 0.0f);
    const V difference = hn::Max(least, hn::Sub(similarity, highest));  // in this order NaN stays NaN
    const V weight = ScaledExp(d, ReduceExp(d, difference));
    Add<Slopes>(weight, difference, value, sum);
    if (whole) hn::StoreU(weight, d, s + i);
    else StorePart(d, weight, s + i, count - i);
    if (Slopes && columns > 1) hn::Store(difference, d, below + i);
  }
  sums[columns] += SumLanes(d, sum.weights);
  if (columns > 0) sums[0] += SumLanes(d, sum.values);
  if constexpr (Slopes) {
    slopes[columns] += SumLanes(d, sum.slopes);
    if (columns > 0) slopes[0] += SumLanes(d, sum.slopes_of_values);
  }
}

// The same of a further column.
template <bool Slopes>
void WeighColumn(const float* weights, std::size_t count, const float* values, const float* below, float& sum,
                 float& slope) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  Sums sums{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t i = 0; i < count; i += lanes) {
    const bool whole = i + lanes <= count;
    const V weight = whole ? hn::LoadU(d, weights + i) : LoadPart(d, weights + i, count - i, 0.0f);
    const V value = whole ? hn::LoadU(d, values + i) : LoadPart(d, values + i, count - i, 0.0f);
    Add<Slopes>(weight, Slopes ? hn::Load(d, below + i) : hn::Zero(d), value, sums);
  }
  sum += SumLanes(d, sums.values);
  if constexpr (Slopes) slope += SumLanes(d, sums.slopes_of_values);
}

template <bool Slopes>
void WeighAll(float* s, std::size_t count, float high, const ValueColumns<float>& values, float* sums, float* slopes) {
  HWY_ALIGN float below[most_similarities];
  Weigh<Slopes>(s, count, high, values.first, values.count, sums, slopes, below);
  for (std::size_t c = 1; c < values.count; ++c) {
    float none = 0;
    WeighColumn<Slopes>(s, count, values.first + static_cast<std::ptrdiff_t>(c) * values.stride, below, sums[c],
                        Slopes ? slopes[c] : none);
  }
}

void WeighPlain(float* s, std::size_t count, float high, const ValueColumns<float>& values, float* sums) {
  WeighAll<false>(s, count, high, values, sums, nullptr);
}
void WeighSloped(float* s, std::size_t count, float high, const ValueColumns<float>& values, float* sums,
                 float* slopes) {
  WeighAll<true>(s, count, high, values, sums, slopes);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
namespace {

HWY_EXPORT(Highest);
HWY_EXPORT(WeighPlain);
HWY_EXPORT(WeighSloped);

float highest(std::span<const float> s) { return HWY_DYNAMIC_DISPATCH(Highest)(s.data(), s.size()); }
double highest(std::span<const double> s) {
  return s.empty() ? -std::numeric_limits<double>::infinity() : *std::max_element(s.begin(), s.end());
}

void weigh(const RunningSoftmax<float>& softmax, std::span<float> s, const ValueColumns<float>& values) {
  if (softmax.slopes == nullptr)
    HWY_DYNAMIC_DISPATCH(WeighPlain)(s.data(), s.size(), *softmax.high, values, softmax.sums);
  else HWY_DYNAMIC_DISPATCH(WeighSloped)(s.data(), s.size(), *softmax.high, values, softmax.sums, softmax.slopes);
}

void weigh(const RunningSoftmax<double>& softmax, std::span<double> s, const ValueColumns<double>& values) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double below = std::max(s[i] - *softmax.high, -746.0);  // exp is 0 from there on
    s[i] = math::exp(below);
    for (std::size_t c = 0; c <= values.count; ++c) {
      const double value =
          c == values.count
              ? 1.0
              : values.first[static_cast<std::ptrdiff_t>(c) * values.stride + static_cast<std::ptrdiff_t>(i)];
      softmax.sums[c] += s[i] * value;
      if (softmax.slopes != nullptr) softmax.slopes[c] += s[i] * below * value;
    }
  }
}

template <class T>
T take(const RunningSoftmax<T>& softmax, std::span<T> s, const ValueColumns<T>& values) {
  assert(s.size() <= most_similarities);
  const T before = *softmax.high, higher = std::max(before, highest(std::span<const T>(s)));
  if (higher == -std::numeric_limits<T>::infinity()) {  // or nothing is a number
    for (T& x : s) softmax.sums[values.count] += x = std::isnan(x) ? x : T{0};
    return 1;
  }
  T shrink = 1;
  if (higher > before) {
    shrink = math::exp(before - higher);
    *softmax.high = higher;
    for (std::size_t c = 0; c <= values.count; ++c) {
      // Where nothing was summed yet, before - higher is -infinity and the sums are 0.
      if (softmax.slopes != nullptr && shrink > 0)
        softmax.slopes[c] = shrink * (softmax.slopes[c] + (before - higher) * softmax.sums[c]);
      else if (softmax.slopes != nullptr) softmax.slopes[c] = 0;
      softmax.sums[c] *= shrink;
    }
  }
  weigh(softmax, s, values);
  return shrink;
}

}  // namespace

float take_in(const RunningSoftmax<float>& softmax, std::span<float> s, const ValueColumns<float>& values) {
  choose_simd();
  return take(softmax, s, values);
}
double take_in(const RunningSoftmax<double>& softmax, std::span<double> s, const ValueColumns<double>& values) {
  return take(softmax, s, values);
}

}  // namespace fovea
#endif  // HWY_ONCE
