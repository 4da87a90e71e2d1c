#include "fovea/nn/recurrent/recurrence.h"

#include "fovea/nn/recurrent/trace_slots.h"
#include "fovea/nn/simd/gru.h"
#include "fovea/nn/simd/lstm.h"
#include "fovea/nn/team_matmul.h"

namespace fovea::recurrence {

namespace {

// How many of the rows [begin, end) a step has to go through: up to the last that is that long.
template <class T>
Index rows_alive(const SequenceInput<T>& input, Index t, Index begin, Index end) {
  while (end > begin && input.length(end - 1) <= t) --end;
  return end - begin;
}

// Step number k of the direction.
template <class T>
Index step_of(const RecurrentLayer<T>& layer, const SequenceInput<T>& input, Index k) {
  return layer.direction == Direction::forward ? k : input.steps - 1 - k;
}

constexpr Index worth_sharing = 1 << 20;  // multiply-adds of a product: some ten microseconds

template <class T>
void multiply(const Compute* shared, Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c, Into into, Index c_stride) {
  if (shared && c.count() * a.columns >= worth_sharing) team_multiply(*shared, a, b, c, into, c_stride);
  else matmul_packed(a, b, c, into, c_stride);
}

}  // namespace

template <class T>
void forward_rows(const ForwardPass<T>& pass, Index begin, Index end, const Compute* shared) {
  const RecurrentLayer<T>& layer = *pass.layer;
  const RecurrentTrace<T>& trace = pass.trace;
  const SequenceInput<T>& input = trace.input;
  const Index width = layer.width, gates = layer.gates(), row_stride = trace.hidden.size(2);

  for (Index row = begin; row < end; ++row)
    for (Index slot = input.length(row) + 1; slot <= input.steps + 1; ++slot)
      std::fill_n(at(trace.hidden, slot, row, trace.column), width, T{0});
  put_initial(layer, trace, begin, end);

  for (Index k = 0; k < input.steps; ++k) {
    const Index t = step_of(layer, input, k), before = slot_before(layer.direction, t);
    const Index alive = rows_alive(input, t, begin, end);
    if (alive == 0) continue;

    // v = W_hh h'
    if (k == 0 && trace.initial.empty()) {
      std::fill_n(at(trace.gates, t, begin), alive * 4 * width, T{0});
    } else {
      const Operand<T> state{at(trace.hidden, before, begin, trace.column), alive, width, row_stride, false};
      multiply(shared, state, pass.weights.recurrent, Matrix<T>(at(trace.gates, t, begin), alive, gates),
               Into::overwrite, 4 * width);
    }
    // u = W_ih x
    if (!input.tokens()) {
      const Operand<T> x{at(input.dense, t, begin), alive, layer.in, layer.in, false};
      multiply(shared, x, pass.weights.input, pass.projected.slice(begin, begin + alive), Into::overwrite, gates);
    }

    for (Index row = begin; row < begin + alive; ++row) {
      if (t >= input.length(row)) continue;
      const Index from = input.tokens() ? input.index[static_cast<std::size_t>(t * input.batch + row)] : row;
      assert(from >= 0 && from < pass.projected.size(0));
      CellForward<T> step{};
      step.input = pass.projected.data() + from * gates;
      step.bias = pass.weights.bias.data();
      step.h_before = at(trace.hidden, before, row, trace.column);
      step.gates = at(trace.gates, t, row);
      step.h = at(trace.hidden, t + 1, row, trace.column);
      if (layer.cell == Cell::lstm) {
        step.c_before = at(trace.cells, before, row);
        step.c = at(trace.cells, t + 1, row);
        lstm_forward(width, step);
      } else {
        gru_forward(width, step);
      }
    }
  }

  for (Index row = begin; row < end; ++row) {
    const Index slot = last_slot(layer.direction, input.length(row));
    std::copy_n(at(trace.hidden, slot, row, trace.column), width, trace.last.hidden[row].data());
    if (layer.cell == Cell::lstm) std::copy_n(at(trace.cells, slot, row), width, trace.last.cell[row].data());
  }
  clear_initial(layer, trace, begin, end);
}

template <class T>
void backward_rows(const BackwardPass<T>& pass, Index begin, Index end, const Compute* shared) {
  const RecurrentLayer<T>& layer = *pass.layer;
  const RecurrentTrace<T>& trace = pass.trace;
  const SequenceInput<T>& input = trace.input;
  const Index width = layer.width, gates = layer.gates();
  const Matrix<T> dh = pass.running.hidden, dc = pass.running.cell;
  T* const d_bias = pass.d_bias[begin / rows_grain].data();
  std::fill_n(d_bias, 4 * width, T{0});

  const auto start = [&](Matrix<T> running, Matrix<T> from) {
    if (running.empty()) return;
    const std::span<T> rows = running.slice(begin, end).flat();
    if (from.empty()) std::ranges::fill(rows, T{0});
    else std::ranges::copy(from.slice(begin, end).flat(), rows.begin());
  };
  start(dh, pass.d_last.hidden);
  start(dc, pass.d_last.cell);
  for (Index row = begin; row < end; ++row)
    for (Index t = input.length(row); t < input.steps; ++t) std::fill_n(at(trace.gates, t, row), 4 * width, T{0});
  put_initial(layer, trace, begin, end);

  for (Index k = input.steps - 1; k >= 0; --k) {
    const Index t = step_of(layer, input, k), before = slot_before(layer.direction, t);
    const Index alive = rows_alive(input, t, begin, end);
    if (alive == 0) continue;

    for (Index row = begin; row < begin + alive; ++row) {
      if (t >= input.length(row)) continue;
      CellBackward<T> step{};
      step.d_output = pass.d_output.empty() ? pass.zeros.data() : at(pass.d_output, t, row, trace.column);
      step.h_before = at(trace.hidden, before, row, trace.column);
      step.dh = dh[row].data();
      step.gates = at(trace.gates, t, row);
      step.d_bias = d_bias;
      if (layer.cell == Cell::lstm) {
        step.c_before = at(trace.cells, before, row);
        step.c = at(trace.cells, t + 1, row);
        step.dc = dc[row].data();
        lstm_backward(width, step);
      } else {
        gru_backward(width, step);
      }
    }
    // dh' += W_hhᵀ dv. Rows that are over have gradients of 0 here, and keep what they carry. Nobody asks for the first
    // state's.
    if (k == 0 && trace.initial.empty()) break;
    const Operand<T> d_gates{at(trace.gates, t, begin), alive, gates, 4 * width, false};
    multiply(shared, d_gates, pass.recurrent, dh.slice(begin, begin + alive), Into::add, width);
  }
}

template void forward_rows(const ForwardPass<float>&, Index, Index, const Compute*);
template void forward_rows(const ForwardPass<double>&, Index, Index, const Compute*);
template void backward_rows(const BackwardPass<float>&, Index, Index, const Compute*);
template void backward_rows(const BackwardPass<double>&, Index, Index, const Compute*);

}  // namespace fovea::recurrence
