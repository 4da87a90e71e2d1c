// One recurrent layer in one direction over a whole batch of sequences, time-major: x (T,B,I) -> h (T,B,H) (room
// nn/recurrent). It writes only its outputs and gradients. recurrent.h of this room is made of such layers.
//
// For every row of the batch, t = 0 to length-1 (in reverse: length-1 to 0), h' and c' being the state of the step
// before, or the initial one:
//
//   u_t = W_ih x_t        v_t = W_hh h'        h_t, c_t = cell(u_t, v_t, b_ih, b_hh, h', c')
//
// with the cell of nn/simd/lstm.h or nn/simd/gru.h. Backward goes the other way, dh and dc being what the step after
// passed on, or the gradients of the last state:
//
//   du_t, dv_t, dh', dc' = cell's backward of (dh + d_output_t, dc)        dh' += W_hhᵀ dv_t
//
//   dW_ih = Σ_t du_t x_tᵀ     dW_hh = Σ_t dv_t h'_tᵀ     db_ih = Σ_t du_t     db_hh = Σ_t dv_t     dx_t = W_ihᵀ du_t
//
// What is left of dh' and dc' after the last of these steps is the gradient of the initial state.
//
// Rows of the batch do not meet inside the layer, nor do the two directions of one, so a block of rows goes through
// all of its time steps by itself and the blocks of both directions are what the team shares. Weight gradients are
// one product over all steps at the end.
//
// A row's steps are 0 … length-1; after them its output is 0 and its state stays, and the reverse direction starts at
// its own last step. So last states are those of PyTorch's packed sequences.
#pragma once

#include <span>
#include <string>

#include "fovea/math/packed.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

enum class Cell { lstm, gru };
enum class Direction { forward, reverse };

// What a layer reads: vectors, or tokens. For tokens the rows of the distinct ones are projected once and gathered by
// position (nn/embedding.h), and gradients are gathered back before they meet the weights.
template <class T>
struct SequenceInput {
  Index steps = 0;               // T
  Index batch = 0;               // B
  Cube<const T> dense;           // (T,B,I); empty where tokens are read
  Matrix<const T> rows;          // (D,I) of the distinct tokens
  std::span<const int> index;    // (T,B) of each position among them; anything behind a row's length
  std::span<const int> lengths;  // (B), each in [0, T]; empty: all rows have T steps

  static SequenceInput of(Cube<const T> x, std::span<const int> lengths = {}) {
    return {x.size(0), x.size(1), x, {}, {}, lengths};
  }
  static SequenceInput of_tokens(Index steps, Index batch, Matrix<const T> rows, std::span<const int> index,
                                 std::span<const int> lengths = {}) {
    assert(static_cast<Index>(index.size()) == steps * batch);
    return {steps, batch, {}, rows, index, lengths};
  }

  bool tokens() const { return dense.data() == nullptr; }
  Index length(Index row) const { return lengths.empty() ? steps : lengths[static_cast<std::size_t>(row)]; }
};

// Where the gradient of the input goes. An empty view: not wanted.
template <class T>
struct SequenceGradient {
  Cube<T> dense;   // (T,B,I)
  Matrix<T> rows;  // (D,I)
};

// A state at one end of the sequences, or its gradient. Empty views stand for zeros.
template <class T>
struct RecurrentState {
  Matrix<T> hidden;  // (B,H)
  Matrix<T> cell;    // (B,H); LSTM only

  bool empty() const { return hidden.empty(); }
};

// What forward makes of a layer's weights. It serves as long as they stay what they are.
template <class T>
struct PreparedWeights {
  PackedMatrix<T> recurrent;  // W_hhᵀ (H,GH)
  PackedMatrix<T> input;      // W_ihᵀ (I,GH)
  Vector<T> bias;             // (4H) in the order of the cell's slots
};

// What backward needs of a forward.
template <class T>
struct RecurrentTrace {
  SequenceInput<T> input;
  RecurrentState<T> initial;
  Cube<T> gates;           // (T,B,4H) activations; once backward has run the gradients of their arguments, du and dv
  Cube<T> cells;           // (T+2,B,H) as `hidden`; LSTM only
  Cube<T> hidden;          // (T+2,B,W): step t in slot t+1, and room for the states before the first and after the last
  Index column = 0;        // this layer's H of the W columns
  RecurrentState<T> last;  // (B,H)

  Cube<T> output() const { return hidden.slice(1, hidden.size(0) - 1); }  // (T,B,W)
};

template <class T>
struct RecurrentLayer {
  Cell cell = Cell::lstm;
  Direction direction = Direction::forward;
  Index in = 0;                         // I
  Index width = 0;                      // H
  const Param<T>* weight_ih = nullptr;  // (GH,I), G = 4 (i,f,g,o) or 3 (r,z,n)
  const Param<T>* weight_hh = nullptr;  // (GH,H)
  const Param<T>* bias_ih = nullptr;    // (GH)
  const Param<T>* bias_hh = nullptr;    // (GH)

  Index gates() const { return (cell == Cell::lstm ? 4 : 3) * width; }  // GH

  // Adds PREFIX.weight_ih + suffix and so on ("_l0", "_l0_reverse"), all U(±1/√H) as PyTorch starts them.
  static RecurrentLayer declare(ParameterSet<T>& parameters, const std::string& prefix, const std::string& suffix,
                                Cell cell, Direction direction, Index in, Index width, Group group = Group::body);

  PreparedWeights<T> prepare(Compute& compute) const;

  RecurrentTrace<T> forward(Compute& compute, const SequenceInput<T>& input,
                            const RecurrentState<T>& initial = {}) const;

  // d_output (T,B,W): the gradient of trace.output(), this layer's columns of it (empty: none). d_last: that of
  // trace.last. Adds into the gradients of the parameters and into d_input where wanted, and returns the gradient of
  // the initial state (empty if there was none). Uses the trace up: once for each forward.
  RecurrentState<T> backward(Compute& compute, const RecurrentTrace<T>& trace, Cube<const T> d_output,
                             const RecurrentState<T>& d_last, const SequenceGradient<T>& d_input) const;

  // The same for one layer or for both directions of one, side by side in the columns of the output. `initial`, d_last
  // and what was prepared: one for each direction, or none at all.
  static void forward(Compute& compute, std::span<const RecurrentLayer> directions, const SequenceInput<T>& input,
                      std::span<const RecurrentState<T>> initial, std::span<RecurrentTrace<T>> traces,
                      std::span<const PreparedWeights<T>> prepared = {});
  static void backward(Compute& compute, std::span<const RecurrentLayer> directions,
                       std::span<const RecurrentTrace<T>> traces, Cube<const T> d_output,
                       std::span<const RecurrentState<T>> d_last, const SequenceGradient<T>& d_input,
                       std::span<RecurrentState<T>> d_initial);
};

}  // namespace fovea
