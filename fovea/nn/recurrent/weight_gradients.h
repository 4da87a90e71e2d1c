// The gradients of a recurrent layer's parameters and of its input, from the gradients of the gates of all steps
// (room nn/recurrent). They write only these gradients. recurrent_layer.cpp of this room alone calls it. The gate
// gradients are in trace.gates once the recurrence has run backward. With du and dv those of u = W_ih x_t and v =
// W_hh h':
//
//   dW_ih += Σ_t du_t x_tᵀ        db_ih += Σ_t du_t        dx_t += W_ihᵀ du_t
//   dW_hh += Σ_t dv_t h'_tᵀ       db_hh += Σ_t dv_t
//
// Each sum over steps and rows is one product. For the LSTM du = dv; the GRU's differ in n alone.
#pragma once

#include "fovea/nn/recurrent/recurrent_layer.h"

namespace fovea::recurrence {

// d_bias (blocks,4H): the sums of each block of rows, in the order of the cell's slots.
template <class T>
void bias_gradients(const RecurrentLayer<T>& layer, Matrix<const T> d_bias);

template <class T>
void weight_gradients(const RecurrentLayer<T>& layer, Compute& compute, const RecurrentTrace<T>& trace,
                      const SequenceGradient<T>& d_input);

}  // namespace fovea::recurrence
