// RecurrentWeights: the parameters of a recurrent cell of G gates, as PyTorch stores them, or their gradients (room
// nn/reference). gru.h and lstm.h of this room use it. The rows of gate k are k H to (k+1) H - 1.
#pragma once

#include "fovea/nn/reference/array.h"

namespace fovea::reference {

struct RecurrentWeights {
  Array<2> ih;       // W (GH,I)
  Array<2> hh;       // U (GH,H)
  Array<1> bias_ih;  // b (GH)
  Array<1> bias_hh;  // b' (GH)

  RecurrentWeights(Index gates, Index in, Index width)
      : ih(gates * width, in), hh(gates * width, width), bias_ih(gates * width), bias_hh(gates * width) {}

  Index width() const { return hh.size(1); }
};

// What row r of W and b makes of x, and what comes back from da:
//
//   a = Σ_k w_rk x_k + b_r        dw_rk += da x_k        dx_k += w_rk da        db_r += da
inline double affine(const Array<2>& w, const Array<1>& b, Index r, const Array<1>& x) {
  return row_times(w, r, x) + b(r);
}
inline void affine_backward(const Array<2>& w, Index r, const Array<1>& x, double da, Array<2>& dw, Array<1>& db,
                            Array<1>& dx) {
  for (Index k = 0; k < x.size(0); ++k) {
    dw(r, k) += da * x(k);
    dx(k) += w(r, k) * da;
  }
  db(r) += da;
}

}  // namespace fovea::reference
