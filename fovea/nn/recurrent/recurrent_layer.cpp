#include "fovea/nn/recurrent/recurrent_layer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/nn/recurrent/recurrence.h"
#include "fovea/nn/recurrent/weight_gradients.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

using recurrence::BackwardPass;
using recurrence::ForwardPass;
using recurrence::rows_grain;

namespace {

constexpr std::size_t most_directions = 2;

Index blocks_of(Index batch) { return (batch + rows_grain - 1) / rows_grain; }

// Calls go_through(direction, begin, end, shared) for every block of rows of every direction: side by side, or, where
// there is one block alone, with the team to share its products.
void each_block(const Compute& compute, std::size_t directions, Index batch, const auto& go_through) {
  const auto count = static_cast<int>(directions);
  const int blocks = static_cast<int>(blocks_of(batch)) * count;
  const Compute* const shared = blocks == 1 ? &compute : nullptr;
  compute.team.each(blocks, [&](int i) {
    const Index begin = i / count * rows_grain;
    go_through(static_cast<std::size_t>(i % count), begin, std::min(begin + rows_grain, batch), shared);
  });
}

// b_ih + b_hh in the order of the cell's slots.
template <class T>
Vector<T> slot_bias(const RecurrentLayer<T>& layer, Compute& compute) {
  const Index width = layer.width;
  const T *const ih = layer.bias_ih->value, *const hh = layer.bias_hh->value;
  const Vector<T> bias = compute.array<T>(4 * width);
  for (Index j = 0; j < layer.gates(); ++j) bias(j) = ih[j] + hh[j];
  if (layer.cell == Cell::gru) {  // the two parts of n stay apart
    std::copy_n(hh + 2 * width, width, bias.data() + 2 * width);
    std::copy_n(ih + 2 * width, width, bias.data() + 3 * width);
  }
  return bias;
}

// Takes what the trace needs from the arena, and packs weights that are not prepared.
template <class T>
ForwardPass<T> begin_forward(const RecurrentLayer<T>& layer, Compute& compute, const SequenceInput<T>& input,
                             const RecurrentState<T>& initial, Cube<T> hidden, Index column, RecurrentTrace<T>& trace,
                             const PreparedWeights<T>* prepared) {
  const Index steps = input.steps, batch = input.batch, width = layer.width;
  assert(hidden.size(0) == steps + 2 && hidden.size(1) == batch && hidden.size(2) >= column + width);
  assert((input.tokens() ? input.rows.size(1) : input.dense.size(2)) == layer.in);

  trace = {};
  trace.input = input;
  trace.initial = initial;
  trace.gates = compute.array<T>(steps, batch, 4 * width);
  trace.hidden = hidden;
  trace.column = column;
  trace.last.hidden = compute.array<T>(batch, width);
  if (layer.cell == Cell::lstm) {
    trace.cells = compute.array<T>(steps + 2, batch, width);
    trace.last.cell = compute.array<T>(batch, width);
  }

  ForwardPass<T> pass{&layer, trace, prepared ? *prepared : layer.prepare(compute),
                      compute.array<T>(input.tokens() ? input.rows.size(0) : batch, layer.gates())};
  if (input.tokens()) team_multiply(compute, plain(input.rows), pass.weights.input, pass.projected);
  return pass;
}

template <class T>
BackwardPass<T> begin_backward(const RecurrentLayer<T>& layer, Compute& compute, const RecurrentTrace<T>& trace,
                               Cube<const T> d_output, const RecurrentState<T>& d_last) {
  const Index batch = trace.input.batch, width = layer.width;
  assert(d_output.empty() || d_output.size(2) == trace.hidden.size(2));
  BackwardPass<T> pass{&layer, trace, d_output, d_last, team_pack(compute, plain(layer.weight_hh->matrix())),
                       {},     {},    {}};
  pass.running.hidden = compute.array<T>(batch, width);
  if (layer.cell == Cell::lstm) pass.running.cell = compute.array<T>(batch, width);
  pass.d_bias = compute.array<T>(blocks_of(batch), 4 * width);
  pass.zeros = compute.zeros<T>(width);
  return pass;
}

}  // namespace

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
PreparedWeights<T> RecurrentLayer<T>::prepare(Compute& compute) const {
  return {team_pack(compute, transposed(weight_hh->matrix())), team_pack(compute, transposed(weight_ih->matrix())),
          slot_bias(*this, compute)};
}

template <class T>
void RecurrentLayer<T>::forward(Compute& compute, std::span<const RecurrentLayer> directions,
                                const SequenceInput<T>& input, std::span<const RecurrentState<T>> initial,
                                std::span<RecurrentTrace<T>> traces, std::span<const PreparedWeights<T>> prepared) {
  const std::size_t count = directions.size();
  assert(count >= 1 && count <= most_directions && traces.size() == count &&
         (initial.empty() || initial.size() == count) && (prepared.empty() || prepared.size() == count));
  const Index width = directions[0].width;
  const Cube<T> hidden = compute.array<T>(input.steps + 2, input.batch, static_cast<Index>(count) * width);
  std::array<ForwardPass<T>, most_directions> passes;
  for (std::size_t i = 0; i < count; ++i)
    passes[i] = begin_forward(directions[i], compute, input, initial.empty() ? RecurrentState<T>{} : initial[i], hidden,
                              static_cast<Index>(i) * width, traces[i], prepared.empty() ? nullptr : &prepared[i]);
  each_block(compute, count, input.batch, [&](std::size_t i, Index begin, Index end, const Compute* shared) {
    recurrence::forward_rows(passes[i], begin, end, shared);
  });
}

template <class T>
RecurrentTrace<T> RecurrentLayer<T>::forward(Compute& compute, const SequenceInput<T>& input,
                                             const RecurrentState<T>& initial) const {
  RecurrentTrace<T> trace;
  forward(compute, {this, 1}, input, {&initial, 1}, {&trace, 1});
  return trace;
}

template <class T>
void RecurrentLayer<T>::backward(Compute& compute, std::span<const RecurrentLayer> directions,
                                 std::span<const RecurrentTrace<T>> traces, Cube<const T> d_output,
                                 std::span<const RecurrentState<T>> d_last, const SequenceGradient<T>& d_input,
                                 std::span<RecurrentState<T>> d_initial) {
  const std::size_t count = directions.size();
  assert(count >= 1 && count <= most_directions && traces.size() == count && d_initial.size() == count &&
         (d_last.empty() || d_last.size() == count));
  std::array<BackwardPass<T>, most_directions> passes;
  for (std::size_t i = 0; i < count; ++i)
    passes[i] =
        begin_backward(directions[i], compute, traces[i], d_output, d_last.empty() ? RecurrentState<T>{} : d_last[i]);
  each_block(compute, count, traces[0].input.batch, [&](std::size_t i, Index begin, Index end, const Compute* shared) {
    recurrence::backward_rows(passes[i], begin, end, shared);
  });
  for (std::size_t i = count; i-- > 0;) {
    if (compute.trains()) recurrence::bias_gradients<T>(directions[i], passes[i].d_bias);
    recurrence::weight_gradients(directions[i], compute, traces[i], d_input);
    d_initial[i] = traces[i].initial.empty() ? RecurrentState<T>{} : passes[i].running;
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

template struct RecurrentLayer<float>;
template struct RecurrentLayer<double>;

}  // namespace fovea
