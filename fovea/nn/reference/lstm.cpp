#include "fovea/nn/reference/lstm.h"

namespace fovea::reference {

LstmStep lstm_step(const RecurrentWeights& w, const Array<1>& x, const Array<1>& h_before, const Array<1>& c_before) {
  const Index H = w.width();
  LstmStep s{x, h_before, c_before, Array<1>(H), Array<1>(H), Array<1>(H), Array<1>(H), Array<1>(H), Array<1>(H)};
  const auto a = [&](Index gate, Index j) {
    const Index r = gate * H + j;
    return affine(w.ih, w.bias_ih, r, x) + affine(w.hh, w.bias_hh, r, h_before);
  };
  for (Index j = 0; j < H; ++j) {
    s.i(j) = sigmoid(a(0, j));
    s.f(j) = sigmoid(a(1, j));
    s.g(j) = std::tanh(a(2, j));
    s.o(j) = sigmoid(a(3, j));
    s.c(j) = s.f(j) * c_before(j) + s.i(j) * s.g(j);
    s.h(j) = s.o(j) * std::tanh(s.c(j));
  }
  return s;
}

void lstm_step_backward(const RecurrentWeights& w, const LstmStep& s, Array<1>& dh, Array<1>& dc, RecurrentWeights& dw,
                        Array<1>& dx) {
  const Index H = w.width();
  Array<1> dh_before(H);
  const auto a_backward = [&](Index gate, Index j, double da) {
    const Index r = gate * H + j;
    affine_backward(w.ih, r, s.x, da, dw.ih, dw.bias_ih, dx);
    affine_backward(w.hh, r, s.h_before, da, dw.hh, dw.bias_hh, dh_before);
  };
  for (Index j = 0; j < H; ++j) {
    const double i = s.i(j), f = s.f(j), g = s.g(j), o = s.o(j), tanh_c = std::tanh(s.c(j));

    // h = o tanh(c)
    const double d_o = dh(j) * tanh_c;
    dc(j) += dh(j) * o * (1 - tanh_c * tanh_c);

    // c = f c' + i g
    const double df = dc(j) * s.c_before(j);
    const double di = dc(j) * g;
    const double dg = dc(j) * i;
    dc(j) = dc(j) * f;  // from here on that of c'

    a_backward(0, j, di * i * (1 - i));   // i = σ(a_i)
    a_backward(1, j, df * f * (1 - f));   // f = σ(a_f)
    a_backward(2, j, dg * (1 - g * g));   // g = tanh(a_g)
    a_backward(3, j, d_o * o * (1 - o));  // o = σ(a_o)
  }
  dh = dh_before;
}

std::vector<LstmStep> lstm(const RecurrentWeights& w, const Array<2>& x, const Array<1>& h, const Array<1>& c) {
  std::vector<LstmStep> steps;
  for (Index t = 0; t < x.size(0); ++t)
    steps.push_back(steps.empty() ? lstm_step(w, row_of(x, t), h, c)
                                  : lstm_step(w, row_of(x, t), steps.back().h, steps.back().c));
  return steps;
}

void lstm_backward(const RecurrentWeights& w, const std::vector<LstmStep>& steps, const Array<2>& d_output,
                   Array<1>& dh, Array<1>& dc, RecurrentWeights& dw, Array<2>& dx) {
  for (Index t = d_output.size(0) - 1; t >= 0; --t) {
    for (Index j = 0; j < w.width(); ++j) dh(j) += d_output(t, j);
    Array<1> dx_t(dx.size(1));
    lstm_step_backward(w, steps[static_cast<std::size_t>(t)], dh, dc, dw, dx_t);
    for (Index k = 0; k < dx.size(1); ++k) dx(t, k) += dx_t(k);
  }
}

}  // namespace fovea::reference
