#include "fovea/math/vector_math.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "fovea/base/functions/functions.h"
#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/math/vector_math.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "fovea/math/vector_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;
constexpr float kLeast = -std::numeric_limits<float>::infinity();

struct ExpOf {
  HWY_INLINE HWY_ATTR Vec operator()(Tag d, Vec x) const { return ExpVector(d, x); }
};
struct TanhOf {
  HWY_INLINE HWY_ATTR Vec operator()(Tag d, Vec x) const { return TanhVector(d, x); }
};
struct SigmoidOf {
  HWY_INLINE HWY_ATTR Vec operator()(Tag d, Vec x) const { return SigmoidVector(d, x); }
};

template <class F>
HWY_INLINE HWY_ATTR void MapAll(const float* in, float* out, std::size_t count, F f) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {  // two at a time: the polynomials are chains of dependent steps
    const Vec a = f(d, hn::LoadU(d, in + i)), b = f(d, hn::LoadU(d, in + i + lanes));
    hn::StoreU(a, d, out + i);
    hn::StoreU(b, d, out + i + lanes);
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(d, hn::LoadU(d, in + i)), d, out + i);
  if (i < count) StorePart(d, f(d, LoadPart(d, in + i, count - i, 0.0f)), out + i, count - i);
}

void Exp(const float* in, float* out, std::size_t count) { MapAll(in, out, count, ExpOf()); }
void Tanh(const float* in, float* out, std::size_t count) { MapAll(in, out, count, TanhOf()); }
void Sigmoid(const float* in, float* out, std::size_t count) { MapAll(in, out, count, SigmoidOf()); }

// The largest entry; what NaN does to it is not defined.
float Largest(const float* in, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vec most = hn::Set(d, kLeast);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) most = hn::Max(most, hn::LoadU(d, in + i));
  if (i < count) most = hn::Max(most, LoadPart(d, in + i, count - i, kLeast));
#if HWY_TARGET == HWY_EMU128  // whose MaxOfLanes knows nothing below the lowest finite number
  float each[hn::MaxLanes(d)];
  hn::StoreU(most, d, each);
  return *std::max_element(each, each + lanes);
#else
  return hn::GetLane(hn::MaxOfLanes(d, most));
#endif
}

// The sum of exp(in - shift).
float ExpSum(const float* in, float shift, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec minus = hn::Set(d, shift);
  Vec sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) sum = hn::Add(sum, ExpVector(d, hn::Sub(hn::LoadU(d, in + i), minus)));
  if (i < count) sum = hn::Add(sum, ExpVector(d, hn::Sub(LoadPart(d, in + i, count - i, kLeast), minus)));
  return SumLanes(d, sum);
}

// False, with out untouched, when the largest entry is not finite.
bool Softmax(const float* in, float* out, std::size_t count) {
  const float most = Largest(in, count);
  if (!std::isfinite(most)) return false;
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec minus = hn::Set(d, most);
  Vec sum = hn::Zero(d), last = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Vec e = ExpVector(d, hn::Sub(hn::LoadU(d, in + i), minus));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, out + i);
  }
  if (i < count) {
    last = ExpVector(d, hn::Sub(LoadPart(d, in + i, count - i, kLeast), minus));
    sum = hn::Add(sum, last);
  }
  const Vec factor = hn::Set(d, 1.0f / SumLanes(d, sum));
  for (i = 0; i + lanes <= count; i += lanes) hn::StoreU(hn::Mul(factor, hn::LoadU(d, out + i)), d, out + i);
  if (i < count) StorePart(d, hn::Mul(factor, last), out + i, count - i);
  return true;
}

float Dot(const float* a, const float* b, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vec s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
    s1 = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), s1);
    s2 = hn::MulAdd(hn::LoadU(d, a + i + 2 * lanes), hn::LoadU(d, b + i + 2 * lanes), s2);
    s3 = hn::MulAdd(hn::LoadU(d, a + i + 3 * lanes), hn::LoadU(d, b + i + 3 * lanes), s3);
  }
  for (; i + lanes <= count; i += lanes) s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
  if (i < count) s1 = hn::MulAdd(LoadPart(d, a + i, count - i, 0.0f), LoadPart(d, b + i, count - i, 0.0f), s1);
  return SumLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
}

void AddScaled(float scale, const float* in, float* out, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec factor = hn::Set(d, scale);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, in + i), hn::LoadU(d, out + i)), d, out + i);
  }
  if (i < count) {
    const Vec sum = hn::MulAdd(factor, LoadPart(d, in + i, count - i, 0.0f), LoadPart(d, out + i, count - i, 0.0f));
    StorePart(d, sum, out + i, count - i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
namespace {

HWY_EXPORT(Exp);
HWY_EXPORT(Tanh);
HWY_EXPORT(Sigmoid);
HWY_EXPORT(Largest);
HWY_EXPORT(ExpSum);
HWY_EXPORT(Softmax);
HWY_EXPORT(Dot);
HWY_EXPORT(AddScaled);

template <class T>
constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();

template <class T>
bool has_nan(std::span<const T> x) {
  return std::any_of(x.begin(), x.end(), [](T v) { return std::isnan(v); });
}

float largest(std::span<const float> in) { return HWY_DYNAMIC_DISPATCH(Largest)(in.data(), in.size()); }
double largest(std::span<const double> in) {
  double most = kMinusInfinity<double>;
  for (const double x : in) most = std::max(most, x);
  return most;
}

float exp_sum(std::span<const float> in, float shift) {
  return HWY_DYNAMIC_DISPATCH(ExpSum)(in.data(), shift, in.size());
}
double exp_sum(std::span<const double> in, double shift) {
  double sum = 0.0;
  for (const double x : in) sum += math::exp(x - shift);
  return sum;
}

bool finite_softmax(std::span<const float> in, std::span<float> out) {
  return HWY_DYNAMIC_DISPATCH(Softmax)(in.data(), out.data(), in.size());
}
bool finite_softmax(std::span<const double> in, std::span<double> out) {
  const double most = largest(in);
  if (!std::isfinite(most)) return false;
  double sum = 0.0;
  for (std::size_t i = 0; i < in.size(); ++i) sum += out[i] = math::exp(in[i] - most);
  for (double& p : out) p /= sum;
  return true;
}

template <class T>
void softmax_row(std::span<const T> in, std::span<T> out) {
  assert(in.size() == out.size());
  choose_simd();
  if (finite_softmax(in, out)) return;
  // Rare: nothing to attend to, or something that is no number.
  const bool nothing = std::all_of(in.begin(), in.end(), [](T x) { return x == kMinusInfinity<T>; });
  std::fill(out.begin(), out.end(), nothing ? T{0} : std::numeric_limits<T>::quiet_NaN());
}

template <class T>
T log_sum_exp_row(std::span<const T> in) {
  choose_simd();
  const T most = largest(in);
  if (!std::isfinite(most)) return has_nan(in) ? std::numeric_limits<T>::quiet_NaN() : most;
  return most + math::log(exp_sum(in, most));
}

}  // namespace

void exp(std::span<const float> in, std::span<float> out) {
  assert(in.size() == out.size());
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Exp)(in.data(), out.data(), in.size());
}
void tanh(std::span<const float> in, std::span<float> out) {
  assert(in.size() == out.size());
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Tanh)(in.data(), out.data(), in.size());
}
void sigmoid(std::span<const float> in, std::span<float> out) {
  assert(in.size() == out.size());
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Sigmoid)(in.data(), out.data(), in.size());
}

void exp(std::span<const double> in, std::span<double> out) {
  assert(in.size() == out.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = math::exp(in[i]);
}
void tanh(std::span<const double> in, std::span<double> out) {
  assert(in.size() == out.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = math::tanh(in[i]);
}
void sigmoid(std::span<const double> in, std::span<double> out) {
  assert(in.size() == out.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double e = math::exp(-std::abs(in[i]));
    out[i] = (in[i] < 0.0 ? e : 1.0) / (1.0 + e);
  }
}

void softmax(std::span<const float> in, std::span<float> out) { softmax_row(in, out); }
void softmax(std::span<const double> in, std::span<double> out) { softmax_row(in, out); }
float log_sum_exp(std::span<const float> in) { return log_sum_exp_row(in); }
double log_sum_exp(std::span<const double> in) { return log_sum_exp_row(in); }

float dot(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  choose_simd();
  return HWY_DYNAMIC_DISPATCH(Dot)(a.data(), b.data(), a.size());
}
double dot(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
void add_scaled(float scale, std::span<const float> in, std::span<float> out) {
  assert(in.size() == out.size());
  choose_simd();
  HWY_DYNAMIC_DISPATCH(AddScaled)(scale, in.data(), out.data(), in.size());
}
void add_scaled(double scale, std::span<const double> in, std::span<double> out) {
  assert(in.size() == out.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] += scale * in[i];
}

}  // namespace fovea
#endif  // HWY_ONCE
