// Recurrent: layers on top of each other, in one direction or two, with dropout between them, as PyTorch's nn.LSTM
// and nn.GRU (room nn/recurrent). It writes only its outputs and gradients. The models on word sequences (classifier,
// seq2seq, addresses) have it. With x_0 = x (T,B,I), layer l of K:
//
//   y_l = [forward_l(x_{l-1}), reverse_l(x_{l-1})]     side by side, or the forward one alone   (T,B,directions H)
//   x_l = dropout(y_l) for l < K                       the output is y_K
//
//   dx_{l-1} = the sum of what both directions of layer l give back from their columns of dy_l
//   dy_l = dropout backward(dx_l) for l < K            dy_K is the gradient of the output
//
// A layer's own equations: recurrent_layer.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/nn/dropout.h"
#include "fovea/nn/recurrent/recurrent_layer.h"

namespace fovea {

struct RecurrentShape {
  Cell cell = Cell::lstm;
  Index in = 0;     // I
  Index width = 0;  // H
  int layers = 1;
  int directions = 1;               // 1: forward; 2: forward and reverse, side by side in the output
  double dropout = 0;               // of each layer's output, but for the last
  std::uint64_t first_dropout = 0;  // which dropout of the model the first of them is
};

// Whether dropout drops, and the numbers it draws with.
struct DropoutDraw {
  bool training = false;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
};

// Views and spans of the arena. States stand in PyTorch's order: layer by layer, forward before reverse.
template <class T>
struct RecurrentStackTrace {
  std::span<RecurrentTrace<T>> layers;  // (layers * directions)
  std::span<DropoutMask> dropouts;      // (layers - 1)

  Cube<T> output() const { return layers.back().output(); }  // (T,B,directions*H)
  const RecurrentState<T>& last(std::size_t i) const { return layers[i].last; }
};

template <class T>
class Recurrent {
 public:
  // Adds PREFIX.weight_ih_l0, PREFIX.weight_hh_l0, …, PREFIX.weight_ih_l0_reverse, …, PREFIX.weight_ih_l1 and so on.
  static Recurrent declare(ParameterSet<T>& parameters, const std::string& prefix, const RecurrentShape& shape,
                           Group group = Group::body);

  const RecurrentShape& shape() const { return shape_; }
  const std::vector<RecurrentLayer<T>>& layers() const { return layers_; }
  Index out() const { return shape_.directions * shape_.width; }

  std::span<const PreparedWeights<T>> prepare(Compute& compute) const;

  // `initial`: one state for each layer and direction, or none at all; what was prepared, too.
  RecurrentStackTrace<T> forward(Compute& compute, const SequenceInput<T>& input,
                                 std::span<const RecurrentState<T>> initial = {}, const DropoutDraw& draw = {},
                                 std::span<const PreparedWeights<T>> prepared = {}) const;

  // d_output (T,B,directions*H) (empty: none); d_last: one for each last state, or none at all. Adds into the gradients
  // of the parameters and into d_input where wanted; returns the gradients of the initial states, in the order of
  // `initial`. Uses the trace up: once for each forward.
  std::span<const RecurrentState<T>> backward(Compute& compute, const RecurrentStackTrace<T>& trace,
                                              Cube<const T> d_output, std::span<const RecurrentState<T>> d_last,
                                              const SequenceGradient<T>& d_input) const;

 private:
  // Between layer `below` and the next.
  Dropout<T> dropout(std::size_t below) const { return {shape_.dropout, shape_.first_dropout + below}; }

  RecurrentShape shape_;
  std::vector<RecurrentLayer<T>> layers_;
};

// x (S,B,H) -> (B,S,H), copied.
template <class T>
Cube<T> batch_first(Compute& compute, Cube<const T> x) {
  const Cube<T> copy = compute.array<T>(x.size(1), x.size(0), x.size(2));
  compute.team.split(x.size(1), 8, [&](Index begin, Index end) {
    for (Index s = 0; s < x.size(0); ++s)
      for (Index b = begin; b < end; ++b)
        std::copy_n(x.data() + (s * x.size(1) + b) * x.size(2), x.size(2),
                    copy.data() + (b * x.size(0) + s) * x.size(2));
  });
  return copy;
}

}  // namespace fovea
