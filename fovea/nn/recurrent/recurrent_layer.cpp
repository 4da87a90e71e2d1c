#include "fovea/nn/recurrent/recurrent_layer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/math/packed.h"
#include "fovea/math/vector_math.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/simd/gru.h"
#include "fovea/nn/simd/lstm.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

constexpr Index rows_grain = 32;  // rows of the batch that go through the sequence together
constexpr std::size_t most_directions = 2;

Index blocks_of(Index batch) { return (batch + rows_grain - 1) / rows_grain; }

// Calls go_through(direction, begin, end) for every block of rows of every direction.
void each_block(Team& team, std::size_t directions, Index batch, const auto& go_through) {
  const auto count = static_cast<int>(directions);
  team.each(static_cast<int>(blocks_of(batch)) * count, [&](int i) {
    const Index begin = i / count * rows_grain;
    go_through(static_cast<std::size_t>(i % count), begin, std::min(begin + rows_grain, batch));
  });
}

// How many of the rows [begin, end) a step has to go through: up to the last that is that long.
template <class T>
Index rows_alive(const SequenceInput<T>& input, Index t, Index begin, Index end) {
  while (end > begin && input.length(end - 1) <= t) --end;
  return end - begin;
}

template <class T>
T* at(Cube<T> array, Index i, Index row, Index column = 0) {
  return array.data() + (i * array.size(1) + row) * array.size(2) + column;
}

// The positions that are there, step by step, where rows are over so early that these are worth gathering for the
// products over all positions; else none.
template <class T>
std::span<const Index> sparse_positions(Compute& compute, const SequenceInput<T>& input) {
  Index count = 0;
  for (Index row = 0; row < input.batch; ++row) count += input.length(row);
  if (8 * count >= 7 * input.steps * input.batch) return {};
  const std::span<Index> all = compute.arena.take<Index>(static_cast<std::size_t>(count));
  std::size_t i = 0;
  for (Index t = 0; t < input.steps; ++t)
    for (Index row = 0; row < input.batch; ++row)
      if (t < input.length(row)) all[i++] = t * input.batch + row;
  return all;
}

template <class T>
Matrix<T> gathered(Compute& compute, std::size_t count, Index columns, const auto& row_of) {
  const Matrix<T> rows = compute.array<T>(static_cast<Index>(count), columns);
  compute.team.split(rows.size(0), 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) std::copy_n(row_of(static_cast<std::size_t>(i)), columns, rows[i].data());
  });
  return rows;
}

// Where the input's gates stand among the slots of the cell.
struct GateSpan {
  Index slot, gate, width;
};
struct GateSpans {
  GateSpan span[2];
  int count;
  const GateSpan* begin() const { return span; }
  const GateSpan* end() const { return span + count; }
};
GateSpans input_gates(Cell cell, Index width) {
  if (cell == Cell::lstm) return {{{0, 0, 4 * width}}, 1};
  return {{{0, 0, 2 * width}, {3 * width, 2 * width, width}}, 2};
}

}  // namespace

template <class T>
struct RecurrentLayer<T>::ForwardParts {
  RecurrentTrace<T> trace;
  PackedMatrix<T> recurrent;  // W_hhᵀ (H,GH)
  PackedMatrix<T> input;      // W_ihᵀ (I,GH), where x is dense
  Matrix<T> projected;        // tokens: (D,GH) the distinct rows' products; dense: (B,GH) one step's
  Vector<T> bias;             // (4H)
};

template <class T>
struct RecurrentLayer<T>::BackwardParts {
  RecurrentTrace<T> trace;
  Cube<const T> d_output;
  RecurrentState<T> d_last;
  PackedMatrix<T> recurrent;  // W_hh (GH,H)
  RecurrentState<T> running;  // (B,H) gradient of the state between steps
  Matrix<T> d_bias;           // (pieces,4H)
  Vector<T> zeros;            // (H)
};

template <class T>
RecurrentLayer<T> RecurrentLayer<T>::declare(ParameterSet<T>& parameters, const std::string& prefix,
                                             const std::string& suffix, Cell cell, Direction direction, Index in,
                                             Index width, Group group) {
  RecurrentLayer layer{cell, direction, in, width};
  const Init init = Init::uniform(1.0 / std::sqrt(static_cast<double>(width)));
  const Index gates = layer.gates();
  layer.weight_ih = &parameters.add(under(prefix, "weight_ih" + suffix), {gates, in}, init, group);
  layer.weight_hh = &parameters.add(under(prefix, "weight_hh" + suffix), {gates, width}, init, group);
  layer.bias_ih = &parameters.add(under(prefix, "bias_ih" + suffix), {gates}, init, group);
  layer.bias_hh = &parameters.add(under(prefix, "bias_hh" + suffix), {gates}, init, group);
  return layer;
}

template <class T>
Vector<T> RecurrentLayer<T>::slot_bias(Compute& compute) const {
  const Vector<T> bias = compute.array<T>(4 * width);
  for (Index j = 0; j < gates(); ++j) bias(j) = bias_ih->value[j] + bias_hh->value[j];
  if (cell == Cell::gru) {  // the two parts of n stay apart
    std::copy_n(bias_hh->value + 2 * width, width, bias.data() + 2 * width);
    std::copy_n(bias_ih->value + 2 * width, width, bias.data() + 3 * width);
  }
  return bias;
}

// The states rows start from, into the slots their first steps read.
template <class T>
void RecurrentLayer<T>::put_initial(const RecurrentTrace<T>& trace, Index begin, Index end) const {
  const auto put = [&](Matrix<T> from, Index row, T* to) {
    if (from.empty()) std::fill_n(to, width, T{0});
    else std::copy_n(from[row].data(), width, to);
  };
  for (Index row = begin; row < end; ++row) {
    const Index slot = first_slot(trace.input.length(row));
    put(trace.initial.hidden, row, at(trace.hidden, slot, row, trace.column));
    if (cell == Cell::lstm) put(trace.initial.cell, row, at(trace.cells, slot, row));
  }
}

// In the reverse direction a short row's first state stands in its padding, which is 0 for everybody else.
template <class T>
void RecurrentLayer<T>::clear_initial(const RecurrentTrace<T>& trace, Index begin, Index end) const {
  if (direction == Direction::forward || trace.initial.empty()) return;
  for (Index row = begin; row < end; ++row)
    if (const Index length = trace.input.length(row); length < trace.input.steps)
      std::fill_n(at(trace.hidden, first_slot(length), row, trace.column), width, T{0});
}

template <class T>
auto RecurrentLayer<T>::begin_forward(Compute& compute, const SequenceInput<T>& input, const RecurrentState<T>& initial,
                                      Cube<T> hidden, Index column, RecurrentTrace<T>& trace) const -> ForwardParts {
  const Index steps = input.steps, batch = input.batch;
  assert(hidden.size(0) == steps + 2 && hidden.size(1) == batch && hidden.size(2) >= column + width);
  assert((input.tokens() ? input.rows.size(1) : input.dense.size(2)) == in);

  trace = {};
  trace.input = input;
  trace.initial = initial;
  trace.gates = compute.array<T>(steps, batch, 4 * width);
  trace.hidden = hidden;
  trace.column = column;
  trace.last.hidden = compute.array<T>(batch, width);
  if (cell == Cell::lstm) {
    trace.cells = compute.array<T>(steps + 2, batch, width);
    trace.last.cell = compute.array<T>(batch, width);
  }

  ForwardParts parts{trace, pack(compute.arena, transposed(weight_hh->matrix())), {}, {}, slot_bias(compute)};
  if (input.tokens()) {
    parts.projected = compute.array<T>(input.rows.size(0), gates());
    team_matmul(compute.team, plain(input.rows), transposed(weight_ih->matrix()), parts.projected);
  } else {
    parts.input = pack(compute.arena, transposed(weight_ih->matrix()));
    parts.projected = compute.array<T>(batch, gates());
  }
  return parts;
}

template <class T>
void RecurrentLayer<T>::forward(Compute& compute, std::span<const RecurrentLayer> directions,
                                const SequenceInput<T>& input, std::span<const RecurrentState<T>> initial,
                                std::span<RecurrentTrace<T>> traces) {
  const std::size_t count = directions.size();
  assert(count >= 1 && count <= most_directions && traces.size() == count &&
         (initial.empty() || initial.size() == count));
  const Index width = directions[0].width;
  const Cube<T> hidden = compute.array<T>(input.steps + 2, input.batch, static_cast<Index>(count) * width);
  std::array<ForwardParts, most_directions> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts[i] = directions[i].begin_forward(compute, input, initial.empty() ? RecurrentState<T>{} : initial[i], hidden,
                                           static_cast<Index>(i) * width, traces[i]);
  each_block(compute.team, count, input.batch,
             [&](std::size_t i, Index begin, Index end) { directions[i].forward_rows(parts[i], begin, end); });
}

template <class T>
RecurrentTrace<T> RecurrentLayer<T>::forward(Compute& compute, const SequenceInput<T>& input,
                                             const RecurrentState<T>& initial) const {
  RecurrentTrace<T> trace;
  forward(compute, {this, 1}, input, {&initial, 1}, {&trace, 1});
  return trace;
}

template <class T>
void RecurrentLayer<T>::forward_rows(const ForwardParts& parts, Index begin, Index end) const {
  const RecurrentTrace<T>& trace = parts.trace;
  const SequenceInput<T>& input = trace.input;
  const Index row_stride = trace.hidden.size(2);

  for (Index row = begin; row < end; ++row)
    for (Index slot = input.length(row) + 1; slot <= input.steps + 1; ++slot)
      std::fill_n(at(trace.hidden, slot, row, trace.column), width, T{0});
  put_initial(trace, begin, end);

  for (Index k = 0; k < input.steps; ++k) {
    const Index t = direction == Direction::forward ? k : input.steps - 1 - k;
    const Index before = slot_before(t);
    const Index alive = rows_alive(input, t, begin, end);
    if (alive == 0) continue;

    if (k == 0 && trace.initial.empty()) {
      std::fill_n(at(trace.gates, t, begin), alive * 4 * width, T{0});
    } else {
      const Operand<T> state{at(trace.hidden, before, begin, trace.column), alive, width, row_stride, false};
      matmul_packed(state, parts.recurrent, Matrix<T>(at(trace.gates, t, begin), alive, gates()), Into::overwrite,
                    4 * width);
    }
    if (!input.tokens()) {
      const Operand<T> x{at(input.dense, t, begin), alive, in, in, false};
      matmul_packed(x, parts.input, parts.projected.slice(begin, begin + alive));
    }

    for (Index row = begin; row < begin + alive; ++row) {
      if (t >= input.length(row)) continue;
      const Index from = input.tokens() ? input.index[static_cast<std::size_t>(t * input.batch + row)] : row;
      assert(from >= 0 && from < parts.projected.size(0));
      CellForward<T> step{};
      step.input = parts.projected.data() + from * gates();
      step.bias = parts.bias.data();
      step.h_before = at(trace.hidden, before, row, trace.column);
      step.gates = at(trace.gates, t, row);
      step.h = at(trace.hidden, t + 1, row, trace.column);
      if (cell == Cell::lstm) {
        step.c_before = at(trace.cells, before, row);
        step.c = at(trace.cells, t + 1, row);
        lstm_forward(width, step);
      } else {
        gru_forward(width, step);
      }
    }
  }

  for (Index row = begin; row < end; ++row) {
    const Index slot = last_slot(input.length(row));
    std::copy_n(at(trace.hidden, slot, row, trace.column), width, trace.last.hidden[row].data());
    if (cell == Cell::lstm) std::copy_n(at(trace.cells, slot, row), width, trace.last.cell[row].data());
  }
  clear_initial(trace, begin, end);
}

template <class T>
auto RecurrentLayer<T>::begin_backward(Compute& compute, const RecurrentTrace<T>& trace, Cube<const T> d_output,
                                       const RecurrentState<T>& d_last) const -> BackwardParts {
  const Index batch = trace.input.batch;
  assert(d_output.empty() || d_output.size(2) == trace.hidden.size(2));
  BackwardParts parts{trace, d_output, d_last, pack(compute.arena, plain(weight_hh->matrix())), {}, {}, {}};
  parts.running.hidden = compute.array<T>(batch, width);
  if (cell == Cell::lstm) parts.running.cell = compute.array<T>(batch, width);
  parts.d_bias = compute.array<T>(blocks_of(batch), 4 * width);
  parts.zeros = compute.zeros<T>(width);
  return parts;
}

template <class T>
void RecurrentLayer<T>::backward(Compute& compute, std::span<const RecurrentLayer> directions,
                                 std::span<const RecurrentTrace<T>> traces, Cube<const T> d_output,
                                 std::span<const RecurrentState<T>> d_last, const SequenceGradient<T>& d_input,
                                 std::span<RecurrentState<T>> d_initial) {
  const std::size_t count = directions.size();
  assert(count >= 1 && count <= most_directions && traces.size() == count && d_initial.size() == count &&
         (d_last.empty() || d_last.size() == count));
  std::array<BackwardParts, most_directions> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts[i] =
        directions[i].begin_backward(compute, traces[i], d_output, d_last.empty() ? RecurrentState<T>{} : d_last[i]);
  each_block(compute.team, count, traces[0].input.batch,
             [&](std::size_t i, Index begin, Index end) { directions[i].backward_rows(parts[i], begin, end); });
  for (std::size_t i = count; i-- > 0;) {
    if (compute.trains()) directions[i].bias_gradients(parts[i].d_bias);
    directions[i].weight_gradients(compute, traces[i], d_input);
    d_initial[i] = traces[i].initial.empty() ? RecurrentState<T>{} : parts[i].running;
  }
}

template <class T>
RecurrentState<T> RecurrentLayer<T>::backward(Compute& compute, const RecurrentTrace<T>& trace, Cube<const T> d_output,
                                              const RecurrentState<T>& d_last,
                                              const SequenceGradient<T>& d_input) const {
  RecurrentState<T> d_initial;
  backward(compute, {this, 1}, {&trace, 1}, d_output, {&d_last, 1}, d_input, {&d_initial, 1});
  return d_initial;
}

template <class T>
void RecurrentLayer<T>::backward_rows(const BackwardParts& parts, Index begin, Index end) const {
  const RecurrentTrace<T>& trace = parts.trace;
  const SequenceInput<T>& input = trace.input;
  const Matrix<T> dh = parts.running.hidden, dc = parts.running.cell;
  T* const d_bias = parts.d_bias[begin / rows_grain].data();
  std::fill_n(d_bias, 4 * width, T{0});

  const auto start = [&](Matrix<T> running, Matrix<T> from) {
    if (running.empty()) return;
    const std::span<T> rows = running.slice(begin, end).flat();
    if (from.empty()) std::ranges::fill(rows, T{0});
    else std::ranges::copy(from.slice(begin, end).flat(), rows.begin());
  };
  start(dh, parts.d_last.hidden);
  start(dc, parts.d_last.cell);
  for (Index row = begin; row < end; ++row)
    for (Index t = input.length(row); t < input.steps; ++t) std::fill_n(at(trace.gates, t, row), 4 * width, T{0});
  put_initial(trace, begin, end);

  for (Index k = input.steps - 1; k >= 0; --k) {
    const Index t = direction == Direction::forward ? k : input.steps - 1 - k;
    const Index before = slot_before(t);
    const Index alive = rows_alive(input, t, begin, end);
    if (alive == 0) continue;

    for (Index row = begin; row < begin + alive; ++row) {
      if (t >= input.length(row)) continue;
      CellBackward<T> step{};
      step.d_output = parts.d_output.empty() ? parts.zeros.data() : at(parts.d_output, t, row, trace.column);
      step.h_before = at(trace.hidden, before, row, trace.column);
      step.dh = dh[row].data();
      step.gates = at(trace.gates, t, row);
      step.d_bias = d_bias;
      if (cell == Cell::lstm) {
        step.c_before = at(trace.cells, before, row);
        step.c = at(trace.cells, t + 1, row);
        step.dc = dc[row].data();
        lstm_backward(width, step);
      } else {
        gru_backward(width, step);
      }
    }
    // Rows that are over have gradients of 0 here, and keep what they carry. Nobody asks for the first state's.
    if (k == 0 && trace.initial.empty()) break;
    const Operand<T> d_gates{at(trace.gates, t, begin), alive, gates(), 4 * width, false};
    matmul_packed(d_gates, parts.recurrent, dh.slice(begin, begin + alive), Into::add);
  }
}

template <class T>
void RecurrentLayer<T>::bias_gradients(Matrix<const T> d_bias) const {
  for (Index piece = 0; piece < d_bias.size(0); ++piece) {
    const T* const slots = d_bias[piece].data();
    for (Index j = 0; j < gates(); ++j) bias_hh->gradient[j] += slots[j];
    for (const GateSpan& span : input_gates(cell, width))
      for (Index j = 0; j < span.width; ++j) bias_ih->gradient[span.gate + j] += slots[span.slot + j];
  }
}

template <class T>
void RecurrentLayer<T>::weight_gradients(Compute& compute, const RecurrentTrace<T>& trace,
                                         const SequenceGradient<T>& d_input) const {
  const SequenceInput<T>& input = trace.input;
  const Index batch = input.batch, positions = input.steps * batch;
  const std::span<const Index> present = sparse_positions(compute, input);
  const auto gather = [&](Index columns, auto row_of) {
    return gathered<T>(compute, present.size(), columns,
                       [&](std::size_t i) { return row_of(present[i] / batch, present[i] % batch); });
  };

  Matrix<const T> d_gates = trace.gates.as(positions, 4 * width);
  if (present.empty()) {
    // Without an initial state the first step started from 0 and adds nothing.
    const bool skip = trace.initial.empty() && input.steps > 0;
    const Index from = skip && direction == Direction::forward ? 1 : 0;
    const Index count = (input.steps - (skip ? 1 : 0)) * batch;
    const Operand<T> by_gate{at(trace.gates, from, 0), gates(), count, 4 * width, true};
    const Operand<T> states{at(trace.hidden, slot_before(from), 0, trace.column), count, width, trace.hidden.size(2),
                            false};
    if (compute.trains()) team_matmul(compute.team, by_gate, states, weight_hh->matrix_gradient(), Into::add);
  } else {
    d_gates = gather(4 * width, [&](Index t, Index row) { return at(trace.gates, t, row); });
    const Matrix<T> states =
        gather(width, [&](Index t, Index row) { return at(trace.hidden, slot_before(t), row, trace.column); });
    if (compute.trains())
      team_matmul(compute.team, Operand<T>{d_gates.data(), gates(), d_gates.size(0), 4 * width, true}, plain(states),
                  weight_hh->matrix_gradient(), Into::add);
  }
  clear_initial(trace, 0, batch);

  Matrix<const T> gradient = d_gates, x;
  Matrix<T> dx;
  if (input.tokens()) {
    std::span<const int> index = input.index;
    if (!present.empty()) {
      const std::span<int> theirs = compute.arena.template take<int>(present.size());
      std::ranges::transform(present, theirs.begin(),
                             [&](Index p) { return input.index[static_cast<std::size_t>(p)]; });
      index = theirs;
    }
    const Matrix<T> sums = compute.zeros<T>(input.rows.size(0), 4 * width);
    scatter_add(compute.team, index, d_gates, sums);
    gradient = sums;
    x = input.rows;
    dx = d_input.rows;
  } else if (present.empty()) {
    x = input.dense.as(positions, in);
    if (!d_input.dense.empty()) dx = d_input.dense.as(positions, in);
  } else {
    x = gather(in, [&](Index t, Index row) { return at(input.dense, t, row); });
    if (!d_input.dense.empty()) dx = compute.zeros<T>(x.size(0), in);
  }
  for (const GateSpan& span : input_gates(cell, width)) {
    const T* const slots = gradient.data() + span.slot;
    const Index rows = gradient.size(0);
    if (compute.trains())
      team_matmul(compute.team, Operand<T>{slots, span.width, rows, 4 * width, true}, plain(x),
                  Matrix<T>(weight_ih->gradient + span.gate * in, span.width, in), Into::add);
    if (dx.empty()) continue;
    team_matmul(compute.team, Operand<T>{slots, rows, span.width, 4 * width, false},
                Operand<T>{weight_ih->value + span.gate * in, span.width, in, in, false}, dx, Into::add);
  }
  if (input.tokens() || present.empty() || dx.empty()) return;
  const auto size = static_cast<std::size_t>(in);
  for (std::size_t i = 0; i < present.size(); ++i)
    add_scaled(T{1}, std::span<const T>(dx.data() + i * size, size),
               std::span<T>(at(d_input.dense, present[i] / batch, present[i] % batch), size));
}

template struct RecurrentLayer<float>;
template struct RecurrentLayer<double>;

}  // namespace fovea
