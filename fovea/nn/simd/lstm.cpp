#include "fovea/nn/simd/lstm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/nn/simd/lstm.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "fovea/nn/simd/cell_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {

struct LstmCells {
  template <class L, class T>
  static HWY_INLINE void At(L l, Index j, Index width, const CellForward<T>& s) {
    T* const gates = s.gates + j;
    const T* const input = s.input + j;
    const T* const bias = s.bias + j;
    const auto i = L::Sigmoid(L::Add(l.Load(gates), L::Add(l.Load(input), l.Load(bias))));
    const auto f = L::Sigmoid(L::Add(l.Load(gates + width), L::Add(l.Load(input + width), l.Load(bias + width))));
    const auto g =
        L::Tanh(L::Add(l.Load(gates + 2 * width), L::Add(l.Load(input + 2 * width), l.Load(bias + 2 * width))));
    const auto o =
        L::Sigmoid(L::Add(l.Load(gates + 3 * width), L::Add(l.Load(input + 3 * width), l.Load(bias + 3 * width))));
    const auto c = L::MulAdd(f, l.Load(s.c_before + j), L::Mul(i, g));
    l.Store(i, gates);
    l.Store(f, gates + width);
    l.Store(g, gates + 2 * width);
    l.Store(o, gates + 3 * width);
    l.Store(c, s.c + j);
  }
};

struct LstmStates {
  template <class L, class T>
  static HWY_INLINE void At(L l, Index j, Index width, const CellForward<T>& s) {
    l.Store(L::Mul(l.Load(s.gates + 3 * width + j), L::Tanh(l.Load(s.c + j))), s.h + j);
  }
};

// All cells first, then all states: unit by unit, a state's tanh would wait for its cell.
template <class T>
HWY_INLINE void LstmForward(Index width, const CellForward<T>& s) {
  EachUnit<LstmCells>(width, s, T{});
  EachUnit<LstmStates>(width, s, T{});
}

struct LstmBackward {
  template <class L, class T>
  static HWY_INLINE void At(L l, Index j, Index width, const CellBackward<T>& s) {
    const auto one = L::Set(T{1});
    T* const gates = s.gates + j;
    const auto i = l.Load(gates);
    const auto f = l.Load(gates + width);
    const auto g = l.Load(gates + 2 * width);
    const auto o = l.Load(gates + 3 * width);
    const auto t = L::Tanh(l.Load(s.c + j));
    const auto dh = L::Add(l.Load(s.dh + j), l.Load(s.d_output + j));
    const auto dc = L::MulAdd(L::Mul(dh, o), L::NegMulAdd(t, t, one), l.Load(s.dc + j));
    l.Store(L::Set(T{0}), s.dh + j);
    l.Store(L::Mul(dc, f), s.dc + j);

    // Gradients of the arguments of σ and tanh: σ' = σ (1 - σ), tanh' = 1 - tanh²
    const auto da_i = L::Mul(L::Mul(dc, g), L::NegMulAdd(i, i, i));
    const auto da_f = L::Mul(L::Mul(dc, l.Load(s.c_before + j)), L::NegMulAdd(f, f, f));
    const auto da_g = L::Mul(L::Mul(dc, i), L::NegMulAdd(g, g, one));
    const auto da_o = L::Mul(L::Mul(dh, t), L::NegMulAdd(o, o, o));
    l.Store(da_i, gates);
    l.Store(da_f, gates + width);
    l.Store(da_g, gates + 2 * width);
    l.Store(da_o, gates + 3 * width);
    T* const d_bias = s.d_bias + j;
    l.Store(L::Add(l.Load(d_bias), da_i), d_bias);
    l.Store(L::Add(l.Load(d_bias + width), da_f), d_bias + width);
    l.Store(L::Add(l.Load(d_bias + 2 * width), da_g), d_bias + 2 * width);
    l.Store(L::Add(l.Load(d_bias + 3 * width), da_o), d_bias + 3 * width);
  }
};

void LstmForwardFloat(Index width, const CellForward<float>& s) { LstmForward(width, s); }
void LstmForwardDouble(Index width, const CellForward<double>& s) { LstmForward(width, s); }
void LstmBackwardFloat(Index width, const CellBackward<float>& s) { EachUnit<LstmBackward>(width, s, 0.0f); }
void LstmBackwardDouble(Index width, const CellBackward<double>& s) { EachUnit<LstmBackward>(width, s, 0.0); }

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(LstmForwardFloat);
HWY_EXPORT(LstmForwardDouble);
HWY_EXPORT(LstmBackwardFloat);
HWY_EXPORT(LstmBackwardDouble);

void lstm_forward(Index width, const CellForward<float>& step) { HWY_DYNAMIC_DISPATCH(LstmForwardFloat)(width, step); }
void lstm_forward(Index width, const CellForward<double>& step) {
  HWY_DYNAMIC_DISPATCH(LstmForwardDouble)(width, step);
}
void lstm_backward(Index width, const CellBackward<float>& step) {
  HWY_DYNAMIC_DISPATCH(LstmBackwardFloat)(width, step);
}
void lstm_backward(Index width, const CellBackward<double>& step) {
  HWY_DYNAMIC_DISPATCH(LstmBackwardDouble)(width, step);
}

}  // namespace fovea
#endif
