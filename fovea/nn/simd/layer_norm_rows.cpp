#include "fovea/nn/simd/layer_norm_rows.h"

#include <cmath>

#include "fovea/math/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/layer_norm_rows.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

#include "fovea/math/vector_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::layer_norm_rows {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using fovea::HWY_NAMESPACE::LoadPart;
using fovea::HWY_NAMESPACE::StorePart;
using fovea::HWY_NAMESPACE::SumLanes;

// visit(column, load, store) for each vector of a row; the last may be a part.
struct Whole {
  V operator()(const float* from) const { return hn::LoadU(D(), from); }
  void operator()(V v, float* to) const { hn::StoreU(v, D(), to); }
};
struct Part {
  std::size_t count;
  V operator()(const float* from) const { return LoadPart(D(), from, count, 0.0f); }
  void operator()(V v, float* to) const { StorePart(D(), v, to, count); }
};
template <class Visit>
HWY_INLINE void Across(Index width, const Visit& visit) {
  const auto lanes = static_cast<Index>(hn::Lanes(D()));
  Index c = 0;
  for (; c + lanes <= width; c += lanes) visit(c, Whole());
  if (c < width) visit(c, Part{static_cast<std::size_t>(width - c)});
}

void ForwardRows(const Forward& f) {
  const D d;
  const float share = 1.0f / static_cast<float>(f.width);
  for (Index n = 0; n < f.count; ++n) {
    const float* const x = f.x + n * f.width;
    float* const y = f.y + n * f.width;
    V sum = hn::Zero(d);
    Across(f.width, [&](Index c, auto at) HWY_ATTR { sum = hn::Add(sum, at(x + c)); });
    const V mean = hn::Mul(hn::Set(d, share), hn::Set(d, SumLanes(d, sum)));
    V squares = hn::Zero(d);
    Across(f.width, [&](Index c, auto at) HWY_ATTR {
      const V off = hn::Sub(at(x + c), mean);
      at(off, y + c);
      const V again = at(y + c);  // 0 in lanes that are not there
      squares = hn::MulAdd(again, again, squares);
    });
    const float variance = share * SumLanes(d, squares);
    const float inverse = 1.0f / std::sqrt(variance + f.epsilon);
    const V k = hn::Set(d, inverse);
    Across(f.width, [&](Index c, auto at) HWY_ATTR {
      const V scaled = hn::Mul(at(f.weight + c), hn::Mul(at(y + c), k));
      at(f.bias ? hn::Add(scaled, at(f.bias + c)) : scaled, y + c);
    });
    f.mean[n] = hn::GetLane(mean);
    f.inverse_deviation[n] = inverse;
  }
}

void BackwardRows(const Backward& b) {
  const D d;
  const V share = hn::Set(d, 1.0f / static_cast<float>(b.width));
  for (Index n = 0; n < b.count; ++n) {
    const float *const x = b.x + n * b.width, *const dy = b.dy + n * b.width;
    float* const dx = b.dx + n * b.width;
    const V mean = hn::Set(d, b.mean[n]), k = hn::Set(d, b.inverse_deviation[n]);
    V along = hn::Zero(d), turned = hn::Zero(d);
    Across(b.width, [&](Index c, auto at) HWY_ATTR {
      const V g = hn::Mul(at(b.weight + c), at(dy + c));
      along = hn::Add(along, g);
      turned = hn::MulAdd(g, hn::Mul(hn::Sub(at(x + c), mean), k), turned);
    });
    along = hn::Mul(share, hn::Set(d, SumLanes(d, along)));
    turned = hn::Mul(share, hn::Set(d, SumLanes(d, turned)));
    Across(b.width, [&](Index c, auto at) HWY_ATTR {
      const V of_row = at(dy + c), normal = hn::Mul(hn::Sub(at(x + c), mean), k);
      at(hn::MulAdd(of_row, normal, at(b.dw + c)), b.dw + c);
      at(hn::Add(of_row, at(b.db + c)), b.db + c);
      const V g = hn::Sub(hn::Mul(at(b.weight + c), of_row), along);
      at(hn::MulAdd(k, hn::NegMulAdd(normal, turned, g), at(dx + c)), dx + c);
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::layer_norm_rows
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::layer_norm_rows {

namespace {
HWY_EXPORT(ForwardRows);
HWY_EXPORT(BackwardRows);
}  // namespace

void forward(const Forward& rows) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(ForwardRows)(rows);
}
void backward(const Backward& rows) {
  choose_simd();
  HWY_DYNAMIC_DISPATCH(BackwardRows)(rows);
}

}  // namespace fovea::layer_norm_rows
#endif  // HWY_ONCE
