// The recurrence: one layer in one direction, a block of rows through all of their steps (room nn/recurrent). It
// writes only its outputs and gradients. recurrent_layer.cpp of this room alone calls it. With h' and c' the state
// that a step starts from (that of t-1; in reverse of t+1), row by row:
//
//   u = W_ih x_t        v = W_hh h'        h_t, c_t = cell(u, v, h', c')
//
// and backward, from the last step taken to the first, with dh and dc what the step after passes on:
//
//   du, dv, dh', dc' = cell backward(dh + d_output_t, dc)        dh' += W_hhᵀ dv
//
// The cells are nn/simd/lstm.h and nn/simd/gru.h. The gradients of the weights and of x come after
// (weight_gradients.h), from the du and dv of all steps.
#pragma once

#include "fovea/math/packed.h"
#include "fovea/nn/recurrent/recurrent_layer.h"

namespace fovea::recurrence {

inline constexpr Index rows_grain = 32;  // rows of the batch that go through the sequence together

template <class T>
struct ForwardPass {
  const RecurrentLayer<T>* layer = nullptr;
  RecurrentTrace<T> trace;
  PreparedWeights<T> weights;
  Matrix<T> projected;  // u; tokens: (D,GH) of the distinct rows; dense: (B,GH) of one step
};

template <class T>
struct BackwardPass {
  const RecurrentLayer<T>* layer = nullptr;
  RecurrentTrace<T> trace;
  Cube<const T> d_output;
  RecurrentState<T> d_last;
  PackedMatrix<T> recurrent;  // W_hh (GH,H)
  RecurrentState<T> running;  // (B,H) dh and dc between steps; of the initial state at the end
  Matrix<T> d_bias;           // (blocks,4H) in the order of the cell's slots
  Vector<T> zeros;            // (H)
};

// Rows [begin, end): at most rows_grain, begin a multiple of it. Blocks can run side by side. Where there is one alone,
// `shared` has the team that shares the products of each of its steps.
template <class T>
void forward_rows(const ForwardPass<T>& pass, Index begin, Index end, const Compute* shared);
template <class T>
void backward_rows(const BackwardPass<T>& pass, Index begin, Index end, const Compute* shared);

}  // namespace fovea::recurrence
