#include "fovea/nn/simd/optimizer_kernels.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/optimizer_kernels.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

#include "fovea/math/lanes-inl.h"

#ifndef FOVEA_NN_SIMD_TOTAL_OF_
#define FOVEA_NN_SIMD_TOTAL_OF_
namespace fovea::optimizer_kernels {
namespace {

// Of the eight running sums, whoever made them.
double total_of(const double* sums) {
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace
}  // namespace fovea::optimizer_kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::optimizer_kernels {
namespace HWY_NAMESPACE {

namespace hn = fovea::HWY_NAMESPACE::lanes;

// Eight running sums of the squares of floats, kept on the way of a loop that reads them anyway. A float's square is
// exact in double: the bits are the same whatever the processor.
class Squares {
 public:
  HWY_INLINE HWY_ATTR void add_line(const float* x) {
    for (std::size_t i = 0; i < 16; i += 8)
      for (std::size_t k = 0; k < vectors; ++k) {
        const auto v = hn::LoadDoubles(D(), x + i + k * lanes);
        sums_[k] = hn::MulAdd(v, v, sums_[k]);
      }
  }
  HWY_INLINE HWY_ATTR double total() const {
    HWY_ALIGN double sums[8];
    for (std::size_t k = 0; k < vectors; ++k) hn::Store(sums_[k], D(), sums + k * lanes);
    return total_of(sums);
  }

 private:
  using D = hn::CappedTag<double, 8>;
  static constexpr std::size_t lanes = hn::MaxLanes(D()), vectors = 8 / lanes;
  hn::Vec<D> sums_[vectors] = {};
};

template <class T>
double adam_loop(const Adam<T>& a, const T* HWY_RESTRICT gradient, T* HWY_RESTRICT weight, T* HWY_RESTRICT first,
                 T* HWY_RESTRICT second, std::size_t n) {
  constexpr std::size_t line = 64 / sizeof(T);
  const hn::CappedTag<T, line> d;
  const auto step = hn::Set(d, a.step), root_scale = hn::Set(d, a.root_scale), epsilon = hn::Set(d, a.epsilon);
  const auto rest1 = hn::Set(d, 1 - a.beta1), beta2 = hn::Set(d, a.beta2), rest2 = hn::Set(d, 1 - a.beta2);
  const auto decay = hn::Set(d, a.decay), keep = hn::Set(d, a.keep), scale = hn::Set(d, a.gradient_scale);
  Squares squares;
  for (std::size_t begin = 0; begin < n; begin += line) {
    if constexpr (std::is_same_v<T, float>) squares.add_line(gradient + begin);
    for (std::size_t i = begin; i < begin + line; i += hn::Lanes(d)) {
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
  return squares.total();
}

template <class T>
double sgd_loop(const Sgd<T>& s, const T* HWY_RESTRICT gradient, T* HWY_RESTRICT weight, T* HWY_RESTRICT velocity,
                std::size_t n) {
  constexpr std::size_t line = 64 / sizeof(T);
  const hn::CappedTag<T, line> d;
  const auto rate = hn::Set(d, s.rate), momentum = hn::Set(d, s.momentum), decay = hn::Set(d, s.decay);
  const auto scale = hn::Set(d, s.gradient_scale);
  Squares squares;
  for (std::size_t begin = 0; begin < n; begin += line) {
    if constexpr (std::is_same_v<T, float>) squares.add_line(gradient + begin);
    for (std::size_t i = begin; i < begin + line; i += hn::Lanes(d)) {
      const auto w = hn::Load(d, weight + i);
      auto g = hn::MulAdd(decay, w, hn::Mul(scale, hn::Load(d, gradient + i)));
      if (velocity) {
        g = hn::MulAdd(momentum, hn::Load(d, velocity + i), g);
        hn::Store(g, d, velocity + i);
      }
      hn::Store(hn::NegMulAdd(rate, g, w), d, weight + i);
    }
  }
  return squares.total();
}

double adam_float(const Adam<float>& a, const float* g, float* w, float* m, float* v, std::size_t n) {
  return adam_loop(a, g, w, m, v, n);
}
void adam_double(const Adam<double>& a, const double* g, double* w, double* m, double* v, std::size_t n) {
  adam_loop(a, g, w, m, v, n);
}
double sgd_float(const Sgd<float>& s, const float* g, float* w, float* velocity, std::size_t n) {
  return sgd_loop(s, g, w, velocity, n);
}
void sgd_double(const Sgd<double>& s, const double* g, double* w, double* velocity, std::size_t n) {
  sgd_loop(s, g, w, velocity, n);
}

double squares_float(const float* x, std::size_t n) {
  Squares squares;
  for (std::size_t i = 0; i < n; i += 16) squares.add_line(x + i);
  return squares.total();
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
HWY_EXPORT(squares_float);

double sum_of_squares(const float* x, std::size_t n) { return HWY_DYNAMIC_DISPATCH(squares_float)(x, n); }

double sum_of_squares(const double* x, std::size_t n) {
  double sums[8] = {};
  for (std::size_t i = 0; i < n; i += 8)
    for (std::size_t k = 0; k < 8; ++k) sums[k] += x[i + k] * x[i + k];
  return total_of(sums);
}

double adam(const Adam<float>& a, const float* g, float* w, float* m, float* v, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(adam_float)(a, g, w, m, v, n);
}
double adam(const Adam<double>& a, const double* g, double* w, double* m, double* v, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(adam_double)(a, g, w, m, v, n);
  return sum_of_squares(g, n);
}
double sgd(const Sgd<float>& s, const float* g, float* w, float* velocity, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(sgd_float)(s, g, w, velocity, n);
}
double sgd(const Sgd<double>& s, const double* g, double* w, double* velocity, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(sgd_double)(s, g, w, velocity, n);
  return sum_of_squares(g, n);
}

}  // namespace fovea::optimizer_kernels
#endif
