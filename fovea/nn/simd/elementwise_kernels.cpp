#include "fovea/nn/simd/elementwise_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/elementwise_kernels.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

#include "fovea/math/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::elementwise_kernels {
namespace HWY_NAMESPACE {

namespace hn = fovea::HWY_NAMESPACE::lanes;

// Each operation takes a tag and vectors: full ones, then single lanes for what is left.
struct LeakyRelu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V slope) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(slope, x));
  }
};
struct LeakyReluBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V dy, V slope) const {
    return hn::IfThenElse(hn::Gt(y, hn::Zero(d)), dy, hn::Mul(slope, dy));
  }
};
struct TanhBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V dy) const {
    return hn::Mul(dy, hn::NegMulAdd(y, y, hn::Set(d, hn::TFromD<D>{1})));
  }
};
struct SigmoidBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V dy) const {
    return hn::Mul(hn::Mul(dy, y), hn::Sub(hn::Set(d, hn::TFromD<D>{1}), y));
  }
};
struct Multiply {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Mul(a, b);
  }
};

template <class T, class Operation>
HWY_INLINE void one(const T* a, T constant, T* out, std::size_t n, Operation operation) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> single;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(operation(d, hn::LoadU(d, a + i), hn::Set(d, constant)), d, out + i);
  for (; i < n; ++i)
    hn::StoreU(operation(single, hn::LoadU(single, a + i), hn::Set(single, constant)), single, out + i);
}

template <class T, class Operation, class... Constants>
HWY_INLINE void two(const T* a, const T* b, T* out, std::size_t n, Operation operation, Constants... constants) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> single;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(operation(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::Set(d, constants)...), d, out + i);
  for (; i < n; ++i)
    hn::StoreU(operation(single, hn::LoadU(single, a + i), hn::LoadU(single, b + i), hn::Set(single, constants)...),
               single, out + i);
}

template <class T>
HWY_INLINE void add_product_loop(const T* a, const T* b, T* out, std::size_t n) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> single;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, out + i)), d, out + i);
  for (; i < n; ++i)
    hn::StoreU(hn::MulAdd(hn::LoadU(single, a + i), hn::LoadU(single, b + i), hn::LoadU(single, out + i)), single,
               out + i);
}

#define FOVEA_DEFINE(T, leaky, leaky_back, tanh_back, sigmoid_back, product, plus_product)                   \
  void leaky(const T* x, T slope, T* y, std::size_t n) { one(x, slope, y, n, LeakyRelu()); }                 \
  void leaky_back(const T* y, const T* dy, T slope, T* dx, std::size_t n) {                                  \
    two(y, dy, dx, n, LeakyReluBackward(), slope);                                                           \
  }                                                                                                          \
  void tanh_back(const T* y, const T* dy, T* dx, std::size_t n) { two(y, dy, dx, n, TanhBackward()); }       \
  void sigmoid_back(const T* y, const T* dy, T* dx, std::size_t n) { two(y, dy, dx, n, SigmoidBackward()); } \
  void product(const T* a, const T* b, T* out, std::size_t n) { two(a, b, out, n, Multiply()); }             \
  void plus_product(const T* a, const T* b, T* out, std::size_t n) { add_product_loop(a, b, out, n); }
FOVEA_DEFINE(float, leaky_f, leaky_backward_f, tanh_backward_f, sigmoid_backward_f, multiply_f, add_product_f)
FOVEA_DEFINE(double, leaky_d, leaky_backward_d, tanh_backward_d, sigmoid_backward_d, multiply_d, add_product_d)
#undef FOVEA_DEFINE

}  // namespace HWY_NAMESPACE
}  // namespace fovea::elementwise_kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::elementwise_kernels {

#define FOVEA_DISPATCH(T, leaky, leaky_back, tanh_back, sigmoid_back, product, plus_product)                           \
  HWY_EXPORT(leaky);                                                                                                   \
  HWY_EXPORT(leaky_back);                                                                                              \
  HWY_EXPORT(tanh_back);                                                                                               \
  HWY_EXPORT(sigmoid_back);                                                                                            \
  HWY_EXPORT(product);                                                                                                 \
  HWY_EXPORT(plus_product);                                                                                            \
  void leaky_relu(const T* x, T slope, T* y, std::size_t n) { HWY_DYNAMIC_DISPATCH(leaky)(x, slope, y, n); }           \
  void leaky_relu_backward(const T* y, const T* dy, T slope, T* dx, std::size_t n) {                                   \
    HWY_DYNAMIC_DISPATCH(leaky_back)(y, dy, slope, dx, n);                                                             \
  }                                                                                                                    \
  void tanh_backward(const T* y, const T* dy, T* dx, std::size_t n) { HWY_DYNAMIC_DISPATCH(tanh_back)(y, dy, dx, n); } \
  void sigmoid_backward(const T* y, const T* dy, T* dx, std::size_t n) {                                               \
    HWY_DYNAMIC_DISPATCH(sigmoid_back)(y, dy, dx, n);                                                                  \
  }                                                                                                                    \
  void multiply(const T* a, const T* b, T* out, std::size_t n) { HWY_DYNAMIC_DISPATCH(product)(a, b, out, n); }        \
  void add_product(const T* a, const T* b, T* out, std::size_t n) { HWY_DYNAMIC_DISPATCH(plus_product)(a, b, out, n); }
FOVEA_DISPATCH(float, leaky_f, leaky_backward_f, tanh_backward_f, sigmoid_backward_f, multiply_f, add_product_f)
FOVEA_DISPATCH(double, leaky_d, leaky_backward_d, tanh_backward_d, sigmoid_backward_d, multiply_d, add_product_d)
#undef FOVEA_DISPATCH

}  // namespace fovea::elementwise_kernels
#endif
