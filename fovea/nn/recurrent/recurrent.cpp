#include "fovea/nn/recurrent/recurrent.h"

#include <cassert>

namespace fovea {

template <class T>
Recurrent<T> Recurrent<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, const RecurrentShape& shape,
                                   Group group) {
  assert(shape.layers >= 1 && (shape.directions == 1 || shape.directions == 2));
  Recurrent recurrent;
  recurrent.shape_ = shape;
  for (int layer = 0; layer < shape.layers; ++layer) {
    const Index in = layer == 0 ? shape.in : recurrent.out();
    for (int direction = 0; direction < shape.directions; ++direction)
      recurrent.layers_.push_back(RecurrentLayer<T>::declare(
          parameters, prefix, "_l" + std::to_string(layer) + (direction == 0 ? "" : "_reverse"), shape.cell,
          direction == 0 ? Direction::forward : Direction::reverse, in, shape.width, group));
  }
  return recurrent;
}

template <class T>
std::span<const PreparedWeights<T>> Recurrent<T>::prepare(Compute& compute) const {
  const auto prepared = compute.arena.take<PreparedWeights<T>>(layers_.size());
  for (std::size_t i = 0; i < prepared.size(); ++i) prepared[i] = layers_[i].prepare(compute);
  return prepared;
}

template <class T>
RecurrentStackTrace<T> Recurrent<T>::forward(Compute& compute, const SequenceInput<T>& input,
                                             std::span<const RecurrentState<T>> initial, const DropoutDraw& draw,
                                             std::span<const PreparedWeights<T>> prepared) const {
  assert(initial.empty() || initial.size() == layers_.size());
  RecurrentStackTrace<T> trace{compute.arena.take<RecurrentTrace<T>>(layers_.size()),
                               compute.arena.take_zeros<DropoutMask>(static_cast<std::size_t>(shape_.layers - 1))};
  SequenceInput<T> x = input;
  const auto directions = static_cast<std::size_t>(shape_.directions);
  const std::span<const RecurrentLayer<T>> all(layers_);
  for (std::size_t i = 0; i < all.size();) {
    RecurrentLayer<T>::forward(
        compute, all.subspan(i, directions), x, initial.empty() ? initial : initial.subspan(i, directions),
        trace.layers.subspan(i, directions), prepared.empty() ? prepared : prepared.subspan(i, directions));
    i += directions;
    if (i == all.size()) break;

    Cube<T> y = trace.layers[i - 1].output();
    const std::size_t below = i / directions - 1;
    if (draw.training && shape_.dropout > 0) {
      const Cube<T> kept = compute.array<T>(input.steps, input.batch, out());
      trace.dropouts[below] = dropout(below).forward(compute, true, draw.seed, draw.step, y.flat(), kept.flat());
      y = kept;
    }
    x = SequenceInput<T>::of(y, input.lengths);
  }
  return trace;
}

template <class T>
std::span<const RecurrentState<T>> Recurrent<T>::backward(Compute& compute, const RecurrentStackTrace<T>& trace,
                                                          Cube<const T> d_output,
                                                          std::span<const RecurrentState<T>> d_last,
                                                          const SequenceGradient<T>& d_input) const {
  assert(d_last.empty() || d_last.size() == layers_.size());
  const std::span<RecurrentState<T>> d_initial = compute.arena.take<RecurrentState<T>>(layers_.size());
  const auto directions = static_cast<std::size_t>(shape_.directions);
  for (std::size_t above = layers_.size(); above > 0; above -= directions) {
    const bool lowest = above == directions;
    SequenceGradient<T> dx = d_input;
    if (!lowest) {
      const Cube<const T>& x = trace.layers[above - 1].input.dense;
      dx = {compute.zeros<T>(x.size(0), x.size(1), x.size(2)), {}};
    }
    const std::size_t first = above - directions;
    RecurrentLayer<T>::backward(
        compute, std::span(layers_).subspan(first, directions), trace.layers.subspan(first, directions), d_output,
        d_last.empty() ? d_last : d_last.subspan(first, directions), dx, d_initial.subspan(first, directions));
    if (lowest) break;
    const std::size_t below = above / directions - 2;
    dropout(below).backward(compute, trace.dropouts[below], dx.dense.flat(), dx.dense.flat());
    d_output = dx.dense;
  }
  return d_initial;
}

template class Recurrent<float>;
template class Recurrent<double>;

}  // namespace fovea
