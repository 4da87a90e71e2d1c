// Inverted dropout (room nn). It writes only its outputs and gradients. nn/recurrent and the classifier
// (model/gated_classifier.h) use it. In training each element is kept with probability 1 - rate and divided by it, so
// evaluation needs no change. Element by element, kept 1 or 0:
//
//   training:     y = x kept / (1 - rate)      dx = dy kept / (1 - rate)
//   evaluation:   y = x                        dx = dy
//
// The probability is taken to 1/65536, and its inverse from what was taken.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/nn/compute.h"

namespace fovea {

// What a forward kept: one byte per element, in the arena; empty when nothing was dropped.
using DropoutMask = std::span<const std::uint8_t>;

template <class T>
struct Dropout {
  double rate = 0.5;        // [0, 1]
  std::uint64_t layer = 0;  // which dropout of the model this is, below 2^32

  Dropout() = default;
  Dropout(double dropped, std::uint64_t number) : rate(dropped), layer(number) {}

  // y = x * mask / (1 - rate), of one length; y may be x. Not training, or at rate 0: y = x. The mask follows from
  // (seed, step, layer) and the element's position alone: element i is decided by RandomStream(seed, "dropout", step,
  // layer * 2^32 + i / 4096).
  DropoutMask forward(const Compute& compute, bool training, std::uint64_t seed, std::uint64_t step,
                      std::span<const T> x, std::span<T> y) const;

  // dx = dy * mask / (1 - rate), with the mask that forward gave; dx may be dy.
  void backward(const Compute& compute, DropoutMask kept, std::span<const T> dy, std::span<T> dx) const;
};

}  // namespace fovea
