// The LSTM cell, as PyTorch writes it. Slots and gates in the order i, f, g, o:
//
//   i, f, o = σ(…)   g = tanh(…)   c = f c' + i g   h = o tanh(c)
#pragma once

#include "fovea/nn/simd/cell.h"

namespace fovea {

void lstm_forward(Index width, const CellForward<float>& step);
void lstm_forward(Index width, const CellForward<double>& step);
void lstm_backward(Index width, const CellBackward<float>& step);
void lstm_backward(Index width, const CellBackward<double>& step);

}  // namespace fovea
