// The GRU cell, as PyTorch writes it. Gates in the order r, z, n; slots r, z, q, n, with q the recurrent
// part of n:
//
//   r, z = σ(…)   q = W_hn h' + b_hn   n = tanh(W_in x + b_in + r q)   h = (1 - z) n + z h'
#pragma once

#include "fovea/nn/simd/cell.h"

namespace fovea {

void gru_forward(Index width, const CellForward<float>& step);
void gru_forward(Index width, const CellForward<double>& step);
void gru_backward(Index width, const CellBackward<float>& step);
void gru_backward(Index width, const CellBackward<double>& step);

}  // namespace fovea
