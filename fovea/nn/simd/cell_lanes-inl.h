// The arithmetic of the cell kernels, once over vectors of float and once over single doubles (room nn/simd). gru.cpp
// and lstm.cpp of this room include it, once per target, as fovea/math/vector_kernels-inl.h is.
#if defined(FOVEA_NN_CELL_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_NN_CELL_LANES_INL_H_
#undef FOVEA_NN_CELL_LANES_INL_H_
#else
#define FOVEA_NN_CELL_LANES_INL_H_
#endif

#include <cmath>
#include <cstddef>

#include "fovea/base/functions/functions.h"
#include "fovea/math/vector_kernels-inl.h"
#include "fovea/nn/simd/cell.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A whole vector of floats.
struct FloatLanes {
  using Scalar = float;
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;

  static HWY_INLINE Index Count() { return static_cast<Index>(hn::Lanes(D())); }
  static HWY_INLINE V Set(float x) { return hn::Set(D(), x); }
  static HWY_INLINE V Add(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE V Sub(V a, V b) { return hn::Sub(a, b); }
  static HWY_INLINE V Mul(V a, V b) { return hn::Mul(a, b); }
  static HWY_INLINE V MulAdd(V a, V b, V c) { return hn::MulAdd(a, b, c); }
  static HWY_INLINE V NegMulAdd(V a, V b, V c) { return hn::NegMulAdd(a, b, c); }
  static HWY_INLINE V Sigmoid(V x) { return SigmoidVector(D(), x); }
  static HWY_INLINE V Tanh(V x) { return TanhVector(D(), x); }
  HWY_INLINE V Load(const float* at) const { return hn::LoadU(D(), at); }
  HWY_INLINE void Store(V x, float* at) const { hn::StoreU(x, D(), at); }
};

// The last floats of a row, fewer than a vector holds.
struct FloatTail : FloatLanes {
  std::size_t left;

  HWY_INLINE V Load(const float* at) const { return hn::MaskedLoad(hn::FirstN(D(), left), D(), at); }
  HWY_INLINE void Store(V x, float* at) const { hn::BlendedStore(x, hn::FirstN(D(), left), D(), at); }
};

struct DoubleLane {
  using Scalar = double;
  using V = double;

  static HWY_INLINE Index Count() { return 1; }
  static HWY_INLINE V Set(double x) { return x; }
  static HWY_INLINE V Add(V a, V b) { return a + b; }
  static HWY_INLINE V Sub(V a, V b) { return a - b; }
  static HWY_INLINE V Mul(V a, V b) { return a * b; }
  static HWY_INLINE V MulAdd(V a, V b, V c) { return a * b + c; }
  static HWY_INLINE V NegMulAdd(V a, V b, V c) { return c - a * b; }
  static HWY_INLINE V Sigmoid(V x) {
    const double e = math::exp(-std::abs(x));
    return (x < 0 ? e : 1.0) / (1.0 + e);
  }
  static HWY_INLINE V Tanh(V x) { return math::tanh(x); }
  static HWY_INLINE V Load(const double* at) { return *at; }
  static HWY_INLINE void Store(V x, double* at) { *at = x; }
};

// Kernel::At(lanes, j, width, step) over all units j of a row.
template <class Kernel, class Step>
HWY_INLINE void EachUnit(Index width, const Step& step, float /*scalar*/) {
  Index j = 0;
  for (; j + FloatLanes::Count() <= width; j += FloatLanes::Count()) Kernel::At(FloatLanes(), j, width, step);
  if (j < width) {
    FloatTail tail;
    tail.left = static_cast<std::size_t>(width - j);
    Kernel::At(tail, j, width, step);
  }
}
template <class Kernel, class Step>
HWY_INLINE void EachUnit(Index width, const Step& step, double /*scalar*/) {
  for (Index j = 0; j < width; ++j) Kernel::At(DoubleLane(), j, width, step);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif  // toggled
