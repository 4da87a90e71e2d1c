// Highway's operations as fovea::HWY_NAMESPACE::lanes, for kernels that are templates over float and double (room
// math). math/packed.cpp, math/panels.cpp and kernels of nn/simd include it. On targets whose vectors have no doubles
// (WebAssembly in this Highway), a vector of doubles is a single one. Included once per target, as
// fovea/math/vector_kernels-inl.h is.
#if defined(FOVEA_MATH_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_MATH_LANES_INL_H_
#undef FOVEA_MATH_LANES_INL_H_
#else
#define FOVEA_MATH_LANES_INL_H_
#endif

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace lanes {

#if HWY_HAVE_FLOAT64

using namespace hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE HWY_ATTR Vec<D> LoadDoubles(D d, const float* from) {
  return PromoteTo(d, LoadU(Rebind<float, D>(), from));
}

#else

namespace hn = hwy::HWY_NAMESPACE;

struct OneDouble {
  using T = double;
};

template <class T, std::size_t Most>
using CappedTag = std::conditional_t<std::is_same_v<T, double>, OneDouble, hn::CappedTag<T, Most> >;
template <class T>
using ScalableTag = std::conditional_t<std::is_same_v<T, double>, OneDouble, hn::ScalableTag<T> >;

template <class D>
struct VecOf {
  using type = hn::Vec<D>;
};
template <>
struct VecOf<OneDouble> {
  using type = double;
};
template <class D>
using Vec = typename VecOf<D>::type;

using hn::Add;
using hn::Div;
using hn::Gt;
using hn::IfThenElse;
using hn::Lanes;
using hn::Load;
using hn::LoadU;
using hn::MaxLanes;
using hn::Mul;
using hn::MulAdd;
using hn::NegMulAdd;
using hn::Set;
using hn::Sqrt;
using hn::Store;
using hn::StoreU;
using hn::Sub;
using hn::TFromD;
using hn::Zero;

constexpr std::size_t MaxLanes(OneDouble) { return 1; }
constexpr std::size_t Lanes(OneDouble) { return 1; }
HWY_INLINE double Zero(OneDouble) { return 0; }
HWY_INLINE double Set(OneDouble, double x) { return x; }
HWY_INLINE double Load(OneDouble, const double* from) { return *from; }
HWY_INLINE double LoadDoubles(OneDouble, const float* from) { return static_cast<double>(*from); }
HWY_INLINE double LoadU(OneDouble, const double* from) { return *from; }
HWY_INLINE void Store(double x, OneDouble, double* to) { *to = x; }
HWY_INLINE void StoreU(double x, OneDouble, double* to) { *to = x; }
HWY_INLINE double Add(double a, double b) { return a + b; }
HWY_INLINE double Sub(double a, double b) { return a - b; }
HWY_INLINE double Mul(double a, double b) { return a * b; }
HWY_INLINE double Div(double a, double b) { return a / b; }
HWY_INLINE double MulAdd(double a, double b, double c) { return a * b + c; }
HWY_INLINE double NegMulAdd(double a, double b, double c) { return c - a * b; }
HWY_INLINE double Sqrt(double x) { return std::sqrt(x); }
HWY_INLINE bool Gt(double a, double b) { return a > b; }
HWY_INLINE double IfThenElse(bool which, double yes, double no) { return which ? yes : no; }

#endif

}  // namespace lanes
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif  // toggled
