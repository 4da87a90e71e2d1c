// Kernels of the LSTM cell, one row of one step, as PyTorch computes it (room nn/simd). They write only the given
// arrays. nn/recurrent/recurrence.cpp alone calls them. With u = W_ih x, v = W_hh h' (4H) and h', c' (H) of the step
// before, unit by unit:
//
//   i = σ(u_i + v_i + b_i)            f = σ(u_f + v_f + b_f)
//   g = tanh(u_g + v_g + b_g)         o = σ(u_o + v_o + b_o)
//   c = f c' + i g                    h = o tanh(c)
//
// b (4H) is b_ih + b_hh; gates and slots in the order i, f, g, o; a are the arguments of σ and tanh. Backward, dX
// being the gradient of the loss by X, and dy that by h as far as anything but the next step read it:
//
//   dh = dh + dy                      dc = dc + dh o (1 - tanh²(c))
//   da_i = dc g i (1 - i)             da_f = dc c' f (1 - f)
//   da_g = dc i (1 - g²)              da_o = dh tanh(c) o (1 - o)
//   dc' = dc f                        db += da
//
// and du = dv = da. What h' gets comes through the recurrent weights alone, W_hhᵀ dv, which the layer adds to dh' =
// 0. The same, one number at a time: nn/reference/lstm.h.
#pragma once

#include "fovea/nn/simd/cell.h"

namespace fovea {

void lstm_forward(Index width, const CellForward<float>& step);
void lstm_forward(Index width, const CellForward<double>& step);
void lstm_backward(Index width, const CellBackward<float>& step);
void lstm_backward(Index width, const CellBackward<double>& step);

}  // namespace fovea
