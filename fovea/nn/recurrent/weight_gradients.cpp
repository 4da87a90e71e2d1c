#include "fovea/nn/recurrent/weight_gradients.h"

#include "fovea/math/vector_math.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/recurrent/gathered_rows.h"
#include "fovea/nn/recurrent/trace_slots.h"
#include "fovea/nn/team_matmul.h"

namespace fovea::recurrence {

namespace {

// The gradients of the input's gates at some positions, what the layer read there, and where dx goes (empty: nowhere).
template <class T>
struct InputRows {
  Matrix<const T> d_gates;  // (N,4H)
  Matrix<const T> x;        // (N,I)
  Matrix<T> dx;             // (N,I)
};

// dW_hh += Σ_t dv_t h'_tᵀ over all positions, padding too: its gradients are 0.
template <class T>
void recurrent_gradient(const RecurrentLayer<T>& layer, Compute& compute, const RecurrentTrace<T>& trace) {
  // Without an initial state the first step started from 0 and adds nothing.
  const SequenceInput<T>& input = trace.input;
  const bool skip = trace.initial.empty() && input.steps > 0;
  const Index from = skip && layer.direction == Direction::forward ? 1 : 0;
  const Index count = (input.steps - (skip ? 1 : 0)) * input.batch;
  const Operand<T> by_gate{at(trace.gates, from, 0), layer.gates(), count, 4 * layer.width, true};
  const Operand<T> states{at(trace.hidden, slot_before(layer.direction, from), 0, trace.column), count, layer.width,
                          trace.hidden.size(2), false};
  if (compute.trains()) team_matmul(compute, by_gate, states, layer.weight_hh->matrix_gradient(), Into::add);
}

// The gates' gradients summed for each distinct token, so that each of their rows meets the weights once.
template <class T>
InputRows<T> token_rows(Compute& compute, const SequenceInput<T>& input, std::span<const Index> present,
                        Matrix<const T> d_gates, Matrix<T> d_rows) {
  std::span<const int> index = input.index;
  if (!present.empty()) {
    const std::span<int> theirs = compute.arena.template take<int>(present.size());
    std::ranges::transform(present, theirs.begin(), [&](Index p) { return input.index[static_cast<std::size_t>(p)]; });
    index = theirs;
  }
  const Matrix<T> sums = compute.zeros<T>(input.rows.size(0), d_gates.size(1));
  scatter_add(compute.team, index, d_gates, sums);
  return {sums, input.rows, d_rows};
}

// dW_ih += Σ du xᵀ and dx += W_ihᵀ du
template <class T>
void input_gradient(const RecurrentLayer<T>& layer, Compute& compute, const InputRows<T>& rows) {
  const Index count = rows.d_gates.size(0), stride = 4 * layer.width, in = layer.in;
  for (const GateSpan& span : input_gates(layer.cell, layer.width)) {
    const T* const du = rows.d_gates.data() + span.slot;
    if (compute.trains())
      team_matmul(compute, Operand<T>{du, span.width, count, stride, true}, plain(rows.x),
                  Matrix<T>(layer.weight_ih->gradient + span.gate * in, span.width, in), Into::add);
    if (rows.dx.empty()) continue;
    team_matmul(compute, Operand<T>{du, count, span.width, stride, false},
                rows_of(plain(layer.weight_ih->matrix()), span.gate, span.width), rows.dx, Into::add);
  }
}

}  // namespace

template <class T>
void bias_gradients(const RecurrentLayer<T>& layer, Matrix<const T> d_bias) {
  for (Index block = 0; block < d_bias.size(0); ++block) {
    const T* const slots = d_bias[block].data();
    for (Index j = 0; j < layer.gates(); ++j) layer.bias_hh->gradient[j] += slots[j];
    for (const GateSpan& span : input_gates(layer.cell, layer.width))
      for (Index j = 0; j < span.width; ++j) layer.bias_ih->gradient[span.gate + j] += slots[span.slot + j];
  }
}

template <class T>
void weight_gradients(const RecurrentLayer<T>& layer, Compute& compute, const RecurrentTrace<T>& trace,
                      const SequenceGradient<T>& d_input) {
  const SequenceInput<T>& input = trace.input;
  const Index batch = input.batch, positions = input.steps * batch, slots = 4 * layer.width, in = layer.in;
  const std::span<const Index> present = sparse_positions(compute, input);
  const auto gather = [&](Index columns, auto row_of) {
    return gathered<T>(compute, present.size(), columns,
                       [&](std::size_t i) { return row_of(present[i] / batch, present[i] % batch); });
  };

  Matrix<const T> d_gates = trace.gates.as(positions, slots);
  if (present.empty()) {
    recurrent_gradient(layer, compute, trace);
  } else {
    d_gates = gather(slots, [&](Index t, Index row) { return at(trace.gates, t, row); });
    const Matrix<T> states = gather(layer.width, [&](Index t, Index row) {
      return at(trace.hidden, slot_before(layer.direction, t), row, trace.column);
    });
    if (compute.trains())
      team_matmul(compute, Operand<T>{d_gates.data(), layer.gates(), d_gates.size(0), slots, true}, plain(states),
                  layer.weight_hh->matrix_gradient(), Into::add);
  }
  clear_initial(layer, trace, 0, batch);

  if (input.tokens()) {
    input_gradient(layer, compute, token_rows(compute, input, present, d_gates, d_input.rows));
    return;
  }
  const bool wanted = !d_input.dense.empty();
  if (present.empty()) {
    input_gradient(
        layer, compute,
        InputRows<T>{d_gates, input.dense.as(positions, in), wanted ? d_input.dense.as(positions, in) : Matrix<T>()});
    return;
  }
  const Matrix<T> x = gather(in, [&](Index t, Index row) { return at(input.dense, t, row); });
  const Matrix<T> dx = wanted ? compute.zeros<T>(x.size(0), in) : Matrix<T>();
  input_gradient(layer, compute, InputRows<T>{d_gates, x, dx});
  if (dx.empty()) return;
  const auto size = static_cast<std::size_t>(in);
  for (std::size_t i = 0; i < present.size(); ++i)
    add_scaled(T{1}, std::span<const T>(dx.data() + i * size, size),
               std::span<T>(at(d_input.dense, present[i] / batch, present[i] % batch), size));
}

template void bias_gradients(const RecurrentLayer<float>&, Matrix<const float>);
template void bias_gradients(const RecurrentLayer<double>&, Matrix<const double>);
template void weight_gradients(const RecurrentLayer<float>&, Compute&, const RecurrentTrace<float>&,
                               const SequenceGradient<float>&);
template void weight_gradients(const RecurrentLayer<double>&, Compute&, const RecurrentTrace<double>&,
                               const SequenceGradient<double>&);

}  // namespace fovea::recurrence
