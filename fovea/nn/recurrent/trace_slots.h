// The slots of states and gates in a layer's trace, and the states that rows start from (room nn/recurrent).
// recurrence.cpp and weight_gradients.cpp of this room use them.
//
// `hidden` and `cells` have a slot for each step t, t+1, and one more at either end:
//
//   slot             0      1   2   …   T    T+1
//   forward          start  h₀  h₁  …   h_{T-1}
//   reverse                 h₀  h₁  …   h_{T-1}  start
//
// A row of length n < T that is read in reverse starts from slot n+1, which is padding to everybody else.
#pragma once

#include <algorithm>
#include <array>

#include "fovea/nn/recurrent/recurrent_layer.h"

namespace fovea::recurrence {

// Row `row` of slot or step i, from `column` on.
template <class T>
T* at(Cube<T> array, Index i, Index row, Index column = 0) {
  return array.data() + (i * array.size(1) + row) * array.size(2) + column;
}

// The slot of the state a step starts from, of the one a row starts from, of the one it ends with.
inline Index slot_before(Direction direction, Index t) { return direction == Direction::forward ? t : t + 2; }
inline Index first_slot(Direction direction, Index length) { return direction == Direction::forward ? 0 : length + 1; }
inline Index last_slot(Direction direction, Index length) { return direction == Direction::forward ? length : 1; }

// Where the gates of the input's weights (PyTorch's order) stand among the four slots of the cell (nn/simd/cell.h): the
// LSTM's as they are; the GRU's n behind q, the recurrent part of n, which has no weights of the input.
struct GateSpan {
  Index slot, gate, width;
};
struct GateSpans {
  std::array<GateSpan, 2> spans;
  std::size_t count;
  const GateSpan* begin() const { return spans.data(); }
  const GateSpan* end() const { return spans.data() + count; }
};
inline GateSpans input_gates(Cell cell, Index width) {
  if (cell == Cell::lstm) return {{{{0, 0, 4 * width}}}, 1};
  return {{{{0, 0, 2 * width}, {3 * width, 2 * width, width}}}, 2};
}

// The states rows start from, into the slots their first steps read.
template <class T>
void put_initial(const RecurrentLayer<T>& layer, const RecurrentTrace<T>& trace, Index begin, Index end) {
  const auto put = [&](Matrix<T> from, Index row, T* to) {
    if (from.empty()) std::fill_n(to, layer.width, T{0});
    else std::copy_n(from[row].data(), layer.width, to);
  };
  for (Index row = begin; row < end; ++row) {
    const Index slot = first_slot(layer.direction, trace.input.length(row));
    put(trace.initial.hidden, row, at(trace.hidden, slot, row, trace.column));
    if (layer.cell == Cell::lstm) put(trace.initial.cell, row, at(trace.cells, slot, row));
  }
}

// Makes padding 0 again where put_initial wrote into it.
template <class T>
void clear_initial(const RecurrentLayer<T>& layer, const RecurrentTrace<T>& trace, Index begin, Index end) {
  if (layer.direction == Direction::forward || trace.initial.empty()) return;
  for (Index row = begin; row < end; ++row)
    if (const Index length = trace.input.length(row); length < trace.input.steps)
      std::fill_n(at(trace.hidden, first_slot(layer.direction, length), row, trace.column), layer.width, T{0});
}

}  // namespace fovea::recurrence
