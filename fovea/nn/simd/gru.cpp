#include "fovea/nn/simd/gru.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/gru.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "fovea/nn/simd/cell_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {

struct GruForward {
  template <class L, class T>
  static HWY_INLINE void At(L l, Index j, Index width, const CellForward<T>& s) {
    T* const gates = s.gates + j;
    const T* const input = s.input + j;
    const T* const bias = s.bias + j;
    const auto r = L::Sigmoid(L::Add(l.Load(gates), L::Add(l.Load(input), l.Load(bias))));
    const auto z = L::Sigmoid(L::Add(l.Load(gates + width), L::Add(l.Load(input + width), l.Load(bias + width))));
    const auto q = L::Add(l.Load(gates + 2 * width), l.Load(bias + 2 * width));
    const auto n = L::Tanh(L::MulAdd(r, q, L::Add(l.Load(input + 2 * width), l.Load(bias + 3 * width))));
    l.Store(r, gates);
    l.Store(z, gates + width);
    l.Store(q, gates + 2 * width);
    l.Store(n, gates + 3 * width);
    l.Store(L::MulAdd(z, L::Sub(l.Load(s.h_before + j), n), n), s.h + j);
  }
};

struct GruBackward {
  template <class L, class T>
  static HWY_INLINE void At(L l, Index j, Index width, const CellBackward<T>& s) {
    const auto one = L::Set(T{1});
    T* const gates = s.gates + j;
    const auto r = l.Load(gates);
    const auto z = l.Load(gates + width);
    const auto q = l.Load(gates + 2 * width);
    const auto n = l.Load(gates + 3 * width);
    const auto dh = L::Add(l.Load(s.dh + j), l.Load(s.d_output + j));
    l.Store(L::Mul(dh, z), s.dh + j);

    // Gradients of the arguments of σ and tanh, and of q: σ' = σ (1 - σ), tanh' = 1 - tanh²
    const auto da_n = L::Mul(L::NegMulAdd(dh, z, dh), L::NegMulAdd(n, n, one));
    const auto dq = L::Mul(da_n, r);
    const auto da_r = L::Mul(L::Mul(da_n, q), L::NegMulAdd(r, r, r));
    const auto da_z = L::Mul(L::Mul(dh, L::Sub(l.Load(s.h_before + j), n)), L::NegMulAdd(z, z, z));
    l.Store(da_r, gates);
    l.Store(da_z, gates + width);
    l.Store(dq, gates + 2 * width);
    l.Store(da_n, gates + 3 * width);
    T* const d_bias = s.d_bias + j;
    l.Store(L::Add(l.Load(d_bias), da_r), d_bias);
    l.Store(L::Add(l.Load(d_bias + width), da_z), d_bias + width);
    l.Store(L::Add(l.Load(d_bias + 2 * width), dq), d_bias + 2 * width);
    l.Store(L::Add(l.Load(d_bias + 3 * width), da_n), d_bias + 3 * width);
  }
};

void GruForwardFloat(Index width, const CellForward<float>& s) { EachUnit<GruForward>(width, s, 0.0f); }
void GruForwardDouble(Index width, const CellForward<double>& s) { EachUnit<GruForward>(width, s, 0.0); }
void GruBackwardFloat(Index width, const CellBackward<float>& s) { EachUnit<GruBackward>(width, s, 0.0f); }
void GruBackwardDouble(Index width, const CellBackward<double>& s) { EachUnit<GruBackward>(width, s, 0.0); }

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(GruForwardFloat);
HWY_EXPORT(GruForwardDouble);
HWY_EXPORT(GruBackwardFloat);
HWY_EXPORT(GruBackwardDouble);

void gru_forward(Index width, const CellForward<float>& step) { HWY_DYNAMIC_DISPATCH(GruForwardFloat)(width, step); }
void gru_forward(Index width, const CellForward<double>& step) { HWY_DYNAMIC_DISPATCH(GruForwardDouble)(width, step); }
void gru_backward(Index width, const CellBackward<float>& step) { HWY_DYNAMIC_DISPATCH(GruBackwardFloat)(width, step); }
void gru_backward(Index width, const CellBackward<double>& step) {
  HWY_DYNAMIC_DISPATCH(GruBackwardDouble)(width, step);
}

}  // namespace fovea
#endif
