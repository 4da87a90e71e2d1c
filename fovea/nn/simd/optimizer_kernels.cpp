#include "fovea/nn/simd/optimizer_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/optimizer_kernels.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

#include "fovea/math/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::optimizer_kernels {
namespace HWY_NAMESPACE {

namespace hn = fovea::HWY_NAMESPACE::lanes;

template <class T>
void adam_loop(const Adam<T>& a, const T* HWY_RESTRICT gradient, T* HWY_RESTRICT weight, T* HWY_RESTRICT first,
               T* HWY_RESTRICT second, std::size_t n) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const auto step = hn::Set(d, a.step), root_scale = hn::Set(d, a.root_scale), epsilon = hn::Set(d, a.epsilon);
  const auto rest1 = hn::Set(d, 1 - a.beta1), beta2 = hn::Set(d, a.beta2), rest2 = hn::Set(d, 1 - a.beta2);
  const auto decay = hn::Set(d, a.decay), keep = hn::Set(d, a.keep), scale = hn::Set(d, a.gradient_scale);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto w = hn::Load(d, weight + i);
    const auto g = hn::MulAdd(decay, w, hn::Mul(scale, hn::Load(d, gradient + i)));
    auto m = hn::Load(d, first + i);
    m = hn::MulAdd(rest1, hn::Sub(g, m), m);
    const auto v = hn::MulAdd(beta2, hn::Load(d, second + i), hn::Mul(rest2, hn::Mul(g, g)));
    const auto root = hn::MulAdd(hn::Sqrt(v), root_scale, epsilon);
    hn::Store(m, d, first + i);
    hn::Store(v, d, second + i);
    hn::Store(hn::Sub(hn::Mul(keep, w), hn::Div(hn::Mul(step, m), root)), d, weight + i);
  }
}

template <class T>
void sgd_loop(const Sgd<T>& s, const T* HWY_RESTRICT gradient, T* HWY_RESTRICT weight, T* HWY_RESTRICT velocity,
              std::size_t n) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const auto rate = hn::Set(d, s.rate), momentum = hn::Set(d, s.momentum), decay = hn::Set(d, s.decay);
  const auto scale = hn::Set(d, s.gradient_scale);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto w = hn::Load(d, weight + i);
    auto g = hn::MulAdd(decay, w, hn::Mul(scale, hn::Load(d, gradient + i)));
    if (velocity) {
      g = hn::MulAdd(momentum, hn::Load(d, velocity + i), g);
      hn::Store(g, d, velocity + i);
    }
    hn::Store(hn::NegMulAdd(rate, g, w), d, weight + i);
  }
}

void adam_float(const Adam<float>& a, const float* g, float* w, float* m, float* v, std::size_t n) {
  adam_loop(a, g, w, m, v, n);
}
void adam_double(const Adam<double>& a, const double* g, double* w, double* m, double* v, std::size_t n) {
  adam_loop(a, g, w, m, v, n);
}
void sgd_float(const Sgd<float>& s, const float* g, float* w, float* velocity, std::size_t n) {
  sgd_loop(s, g, w, velocity, n);
}
void sgd_double(const Sgd<double>& s, const double* g, double* w, double* velocity, std::size_t n) {
  sgd_loop(s, g, w, velocity, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::optimizer_kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::optimizer_kernels {

HWY_EXPORT(adam_float);
HWY_EXPORT(adam_double);
HWY_EXPORT(sgd_float);
HWY_EXPORT(sgd_double);

void adam(const Adam<float>& a, const float* g, float* w, float* m, float* v, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(adam_float)(a, g, w, m, v, n);
}
void adam(const Adam<double>& a, const double* g, double* w, double* m, double* v, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(adam_double)(a, g, w, m, v, n);
}
void sgd(const Sgd<float>& s, const float* g, float* w, float* velocity, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(sgd_float)(s, g, w, velocity, n);
}
void sgd(const Sgd<double>& s, const double* g, double* w, double* velocity, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(sgd_double)(s, g, w, velocity, n);
}

namespace {

template <class T>
double eight_sums(const T* x, std::size_t n) {
  double sums[8] = {};
  for (std::size_t i = 0; i < n; i += 8)
    for (std::size_t k = 0; k < 8; ++k) sums[k] += static_cast<double>(x[i + k]) * static_cast<double>(x[i + k]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

double sum_of_squares(const float* x, std::size_t n) { return eight_sums(x, n); }
double sum_of_squares(const double* x, std::size_t n) { return eight_sums(x, n); }

}  // namespace fovea::optimizer_kernels
#endif
