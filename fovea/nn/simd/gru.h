// Kernels of the GRU cell, one row of one step, as PyTorch computes it (room nn/simd). They write only the given
// arrays. nn/recurrent/recurrence.cpp alone calls them. With u = W_ih x, v = W_hh h' (3H) and h' (H) of the step
// before, unit by unit:
//
//   r = σ(u_r + v_r + b_r)            z = σ(u_z + v_z + b_z)
//   q = v_n + b_q                     n = tanh(u_n + b_n + r q)
//   h = (1 - z) n + z h'
//
// Gates in the order r, z, n; slots r, z, q, n, and biases by slot: b_r and b_z are b_ih + b_hh, b_q is b_hh of n,
// b_n is b_ih of n; a are the arguments of σ and tanh. Backward, dX being the gradient of the loss by X, and dy that
// by h as far as anything but the next step read it:
//
//   dh = dh + dy                      dh' = dh z
//   da_n = dh (1 - z) (1 - n²)        dq = da_n r
//   da_r = da_n q r (1 - r)           da_z = dh (h' - n) z (1 - z)
//   db += (da_r, da_z, dq, da_n)
//
// and du = (da_r, da_z, da_n), dv = (da_r, da_z, dq). The layer adds W_hhᵀ dv to dh'. The same, one number at a time:
// nn/reference/gru.h.
#pragma once

#include "fovea/nn/simd/cell.h"

namespace fovea {

void gru_forward(Index width, const CellForward<float>& step);
void gru_forward(Index width, const CellForward<double>& step);
void gru_backward(Index width, const CellBackward<float>& step);
void gru_backward(Index width, const CellBackward<double>& step);

}  // namespace fovea
