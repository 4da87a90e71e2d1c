// exp, tanh and sigmoid of a vector of floats, and the last elements of an array, for the loops of other kernels
// (fused cells, softmax) (room math). math/vector_math.cpp and kernels of nn/simd include it, once per target: after
// hwy/foreach_target.h, before the kernels that use it.
//
// Measured over all floats: exp and sigmoid and tanh within 4 units in the last place
// (tests/math/vector_math_test.cpp).
#if defined(FOVEA_MATH_VECTOR_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_MATH_VECTOR_KERNELS_INL_H_
#undef FOVEA_MATH_VECTOR_KERNELS_INL_H_
#else
#define FOVEA_MATH_VECTOR_KERNELS_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {

// The last elements of an array, fewer than a vector, in a whole vector filled up with `filler`; and back. Nothing
// beyond them is touched. (Targets without masks go through memory.)
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR V LoadPart(D d, const float* from, std::size_t count, float filler) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const auto mask = hn::FirstN(d, count);
  return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, from), hn::Set(d, filler));
#else
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  hn::Store(hn::Set(d, filler), d, lanes);
  std::memcpy(lanes, from, count * sizeof(float));
  return hn::Load(d, lanes);
#endif
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR void StorePart(D d, V v, float* to, std::size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::memcpy(to, lanes, count * sizeof(float));
#endif
}

// The sum of all lanes, in an order of its own: the upper half onto the lower one, until one lane is left. Highway's
// SumOfLanes has another order in each of its releases, and with each compiler.
template <class D>
HWY_INLINE HWY_ATTR float SumLanes([[maybe_unused]] D d, hwy::HWY_NAMESPACE::Vec<D> v) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET != HWY_SCALAR  // whose vectors have one lane, and no halves
  if constexpr (hn::MaxLanes(D()) > 1) {
    const hn::Half<D> half;
    return SumLanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

// x = n ln 2 + r with integer n and |r| <= ln 2 / 2; exp(x) = 2^n (1 + growth).
template <class V>
struct ReducedExp {
  V growth;   // exp(r) - 1
  V shifted;  // n + 1.5 * 2^23: n stands in the low bits
};

constexpr float kShift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer

// |x| < 2^21.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR ReducedExp<V> ReduceExp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504088896341f), hn::Set(d, kShift));
  const V n = hn::Sub(shifted, hn::Set(d, kShift));
  // ln 2 in two parts, the first short enough for n times it to be exact.
  const V r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x));
  // exp(r) - 1 = r + r^2 P(r)
  V p = hn::Set(d, 1.9875691500e-4f);
  p = hn::MulAdd(p, r, hn::Set(d, 1.3981999507e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 8.3334519073e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.1665795894e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.6666665459e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  return {hn::MulAdd(hn::Mul(r, r), p, r), shifted};
}

// 2^n for the n of ReducedExp, or its half rounded down, or the other half.
template <class D, class VI, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR V PowerOfTwo(D d, VI n) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR V ScaledExp(D d, ReducedExp<V> e) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const auto n = hn::Sub(hn::BitCast(di, e.shifted), hn::Set(di, 0x4B400000));
  // In two steps, so that subnormal results are rounded once and large ones overflow only where they should.
  const auto half = hn::ShiftRight<1>(n);
  const V first = PowerOfTwo(d, half);
  return hn::Mul(hn::MulAdd(e.growth, first, first), PowerOfTwo(d, hn::Sub(n, half)));
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR V ExpVector(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  // exp is 0 below the first bound and infinite above the second.
  const V bounded = hn::Min(hn::Max(x, hn::Set(d, -104.0f)), hn::Set(d, 89.0f));
  return hn::IfThenElse(hn::IsNaN(x), x, ScaledExp(d, ReduceExp(d, bounded)));
}

// (exp(2|x|) - 1) / (exp(2|x|) + 1), with x's sign.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR V TanhVector(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const V size = hn::Min(hn::Abs(x), hn::Set(d, 10.0f));  // tanh is 1 from 9.02 on
  const ReducedExp<V> e = ReduceExp(d, hn::Add(size, size));
  const V power = PowerOfTwo(d, hn::Sub(hn::BitCast(di, e.shifted), hn::Set(di, 0x4B400000)));
  const V growth = hn::MulAdd(e.growth, power, hn::Sub(power, hn::Set(d, 1.0f)));
  const V t = hn::Div(growth, hn::Add(growth, hn::Set(d, 2.0f)));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySignToAbs(t, x));
}

// exp(-|x|) / (1 + exp(-|x|)) where x < 0, 1 / (1 + exp(-|x|)) elsewhere: exact to the last places at both ends.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE HWY_ATTR V SigmoidVector(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = hn::Set(d, 1.0f);
  const V e = ScaledExp(d, ReduceExp(d, hn::Max(hn::Neg(hn::Abs(x)), hn::Set(d, -104.0f))));
  const V s = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
  return hn::IfThenElse(hn::IsNaN(x), x, s);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif  // toggled
