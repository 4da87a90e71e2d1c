#include "fovea/nn/simd/gelu_kernels.h"

#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/gelu_kernels.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

#include "fovea/math/vector_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::gelu_kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using fovea::HWY_NAMESPACE::LoadPart;
using fovea::HWY_NAMESPACE::StorePart;
using fovea::HWY_NAMESPACE::TanhVector;

constexpr float root = 0.79788456080286535588f, cubic = 0.044715f;  // √(2/π)

HWY_INLINE V Tanh(D d, V x) {
  const V inner = hn::MulAdd(hn::Mul(hn::Set(d, cubic), hn::Mul(x, x)), x, x);
  return TanhVector(d, hn::Mul(hn::Set(d, root), inner));
}

HWY_INLINE V Value(D d, V x, V t) { return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), hn::Add(hn::Set(d, 1.0f), t)); }

HWY_INLINE V Slope(D d, V x, V t, V dy) {
  const V one = hn::Set(d, 1.0f), half = hn::Set(d, 0.5f);
  const V inner = hn::Mul(hn::Set(d, root), hn::MulAdd(hn::Set(d, 3 * cubic), hn::Mul(x, x), one));
  const V of_tanh = hn::Mul(hn::Mul(x, hn::NegMulAdd(t, t, one)), inner);
  return hn::Mul(hn::Mul(half, dy), hn::Add(hn::Add(one, t), of_tanh));
}

void Gelu(const float* x, float* t, float* y, std::size_t n) {
  const D d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const V at = hn::LoadU(d, x + i), tanh = Tanh(d, at);
    hn::StoreU(tanh, d, t + i);
    hn::StoreU(Value(d, at, tanh), d, y + i);
  }
  if (i == n) return;
  const V at = LoadPart(d, x + i, n - i, 0.0f), tanh = Tanh(d, at);
  StorePart(d, tanh, t + i, n - i);
  StorePart(d, Value(d, at, tanh), y + i, n - i);
}

void GeluBackward(const float* x, const float* t, const float* dy, float* dx, std::size_t n) {
  const D d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(Slope(d, hn::LoadU(d, x + i), hn::LoadU(d, t + i), hn::LoadU(d, dy + i)), d, dx + i);
  if (i == n) return;
  const V slope =
      Slope(d, LoadPart(d, x + i, n - i, 0.0f), LoadPart(d, t + i, n - i, 0.0f), LoadPart(d, dy + i, n - i, 0.0f));
  StorePart(d, slope, dx + i, n - i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::gelu_kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::gelu_kernels {

namespace {
HWY_EXPORT(Gelu);
HWY_EXPORT(GeluBackward);
}  // namespace

void gelu(const float* x, float* t, float* y, std::size_t n) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(Gelu)(x, t, y, n);
}
void gelu_backward(const float* x, const float* t, const float* dy, float* dx, std::size_t n) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(GeluBackward)(x, t, dy, dx, n);
}

}  // namespace fovea::gelu_kernels
#endif  // HWY_ONCE
