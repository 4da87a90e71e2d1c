#include "fovea/nn/reference/gru.h"

namespace fovea::reference {

GruStep gru_step(const RecurrentWeights& w, const Array<1>& x, const Array<1>& h_before) {
  const Index H = w.width();
  GruStep s{x, h_before, Array<1>(H), Array<1>(H), Array<1>(H), Array<1>(H), Array<1>(H)};
  const auto u = [&](Index gate, Index j) { return affine(w.ih, w.bias_ih, gate * H + j, x); };
  const auto v = [&](Index gate, Index j) { return affine(w.hh, w.bias_hh, gate * H + j, h_before); };
  for (Index j = 0; j < H; ++j) {
    s.r(j) = sigmoid(u(0, j) + v(0, j));
    s.z(j) = sigmoid(u(1, j) + v(1, j));
    s.q(j) = v(2, j);
    s.n(j) = std::tanh(u(2, j) + s.r(j) * s.q(j));
    s.h(j) = (1 - s.z(j)) * s.n(j) + s.z(j) * h_before(j);
  }
  return s;
}

void gru_step_backward(const RecurrentWeights& w, const GruStep& s, Array<1>& dh, RecurrentWeights& dw, Array<1>& dx) {
  const Index H = w.width();
  Array<1> dh_before(H);
  const auto u_backward = [&](Index gate, Index j, double du) {
    affine_backward(w.ih, gate * H + j, s.x, du, dw.ih, dw.bias_ih, dx);
  };
  const auto v_backward = [&](Index gate, Index j, double dv) {
    affine_backward(w.hh, gate * H + j, s.h_before, dv, dw.hh, dw.bias_hh, dh_before);
  };
  for (Index j = 0; j < H; ++j) {
    const double r = s.r(j), z = s.z(j), q = s.q(j), n = s.n(j);

    // h = (1 - z) n + z h'
    const double dn = dh(j) * (1 - z);
    const double dz = dh(j) * (s.h_before(j) - n);
    dh_before(j) += dh(j) * z;

    // n = tanh(u_n + r q)
    const double da_n = dn * (1 - n * n);
    const double dr = da_n * q;
    const double dq = da_n * r;
    u_backward(2, j, da_n);

    // q = v_n
    v_backward(2, j, dq);

    // z = σ(u_z + v_z)
    const double da_z = dz * z * (1 - z);
    u_backward(1, j, da_z);
    v_backward(1, j, da_z);

    // r = σ(u_r + v_r)
    const double da_r = dr * r * (1 - r);
    u_backward(0, j, da_r);
    v_backward(0, j, da_r);
  }
  dh = dh_before;
}

std::vector<GruStep> gru(const RecurrentWeights& w, const Array<2>& x, const Array<1>& h) {
  std::vector<GruStep> steps;
  for (Index t = 0; t < x.size(0); ++t) steps.push_back(gru_step(w, row_of(x, t), steps.empty() ? h : steps.back().h));
  return steps;
}

void gru_backward(const RecurrentWeights& w, const std::vector<GruStep>& steps, const Array<2>& d_output, Array<1>& dh,
                  RecurrentWeights& dw, Array<2>& dx) {
  for (Index t = d_output.size(0) - 1; t >= 0; --t) {
    for (Index j = 0; j < w.width(); ++j) dh(j) += d_output(t, j);
    Array<1> dx_t(dx.size(1));
    gru_step_backward(w, steps[static_cast<std::size_t>(t)], dh, dw, dx_t);
    for (Index k = 0; k < dx.size(1); ++k) dx(t, k) += dx_t(k);
  }
}

}  // namespace fovea::reference
