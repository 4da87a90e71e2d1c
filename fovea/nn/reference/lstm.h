// Reference equations of the LSTM (room nn/reference). Only tests call them, to check nn/simd/lstm.h and
// nn/recurrent.
//
// The LSTM, as PyTorch's nn.LSTM computes it. I numbers come in, H units; x, h and c are of one step, h' and c' of
// the step before.
//
//   i = σ(W_i x + b_i + U_i h' + b'_i)         how much of the candidate is written   (H)
//   f = σ(W_f x + b_f + U_f h' + b'_f)         how much of the cell is kept           (H)
//   g = tanh(W_g x + b_g + U_g h' + b'_g)      the candidate                          (H)
//   o = σ(W_o x + b_o + U_o h' + b'_o)         how much of the cell is shown          (H)
//   c = f c' + i g
//   h = o tanh(c)
//
// W (4H,I), U (4H,H), b and b' (4H), gates in the order i, f, g, o; products of two vectors are taken unit by unit.
//
// Backward: dh and dc are the gradients of the loss with respect to h and c, as far as whatever came after read them.
//
//   do = dh tanh(c)             dc += dh o (1 - tanh²(c))
//   df = dc c'                  di = dc g        dg = dc i        dc' = dc f
//   da_i = di i (1 - i)         da_f = df f (1 - f)
//   da_g = dg (1 - g²)          da_o = do o (1 - o)
//   dx = Wᵀ da                  dW += da xᵀ      db += da
//   dh' = Uᵀ da                 dU += da h'ᵀ     db' += da
//
// with a the four arguments of σ and tanh. Over a sequence h' and c' are those of the step before, so dh' and dc' are
// what it finds as dh and dc, beside the gradient of its own output.
#pragma once

#include <vector>

#include "fovea/nn/reference/recurrent_weights.h"

namespace fovea::reference {

// What a step read and computed: all that backward needs.
struct LstmStep {
  Array<1> x;                   // (I)
  Array<1> h_before, c_before;  // (H)
  Array<1> i, f, g, o, c, h;    // (H)
};

LstmStep lstm_step(const RecurrentWeights& w, const Array<1>& x, const Array<1>& h_before, const Array<1>& c_before);

// dh, dc (H): in: gradients of h and c; out: of h' and c'. Adds into dw and dx (I).
void lstm_step_backward(const RecurrentWeights& w, const LstmStep& step, Array<1>& dh, Array<1>& dc,
                        RecurrentWeights& dw, Array<1>& dx);

// One sequence x (T,I) from the state h, c (H).
std::vector<LstmStep> lstm(const RecurrentWeights& w, const Array<2>& x, const Array<1>& h, const Array<1>& c);

// d_output (T,H): gradients of the h of each step. dh, dc (H): in: of the last state; out: of the first. Adds into dw
// and dx (T,I).
void lstm_backward(const RecurrentWeights& w, const std::vector<LstmStep>& steps, const Array<2>& d_output,
                   Array<1>& dh, Array<1>& dc, RecurrentWeights& dw, Array<2>& dx);

}  // namespace fovea::reference
