// Helpers of the stream tasks: the shape, an empty batch, the rows of a ladder (room data/tasks/streams). The tasks
// of this room, `causal-tree` and `language` call them.
#pragma once

#include <algorithm>
#include <span>

#include "fovea/data/batch.h"
#include "fovea/data/task.h"

namespace fovea {

inline TaskShape stream_shape(int vocab, int target_vocab, int length) {
  TaskShape shape;
  shape.kind = Kind::token_streams;
  shape.vocab = vocab;
  shape.target_vocab = target_vocab;
  shape.longest = length;
  return shape;
}

// Nothing is asked anywhere, and nowhere is it known where attention belongs.
inline void begin_streams(Batch& batch, int size, int length) {
  batch.size = size;
  batch.source.resize(size, length);
  batch.target.resize(size, length);
  batch.alignment.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(length), -1);
}

// visit(example, position, probabilities of the target's tokens) for each position where something is asked, with the
// probabilities at 0; so are those of all other positions.
template <class Visit>
void each_asked(const Batch& batch, Matrix<float> probabilities, Visit&& visit) {
  const std::span<float> all = probabilities.flat();
  std::fill(all.begin(), all.end(), 0.0f);
  for (int b = 0; b < batch.size; ++b) {
    for (int t = 0; t < batch.target.columns; ++t) {
      if (batch.target.at(b, t) >= 0) visit(b, t, probabilities[Index{b} * batch.target.columns + t].flat());
    }
  }
}

// The same for each of the tokens from `first` on, `count` of them.
inline void predict_uniform(std::span<float> probabilities, int first, int count) {
  const auto part = probabilities.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  std::fill(part.begin(), part.end(), 1.0f / static_cast<float>(count));
}

inline void predict_token(std::span<float> probabilities, int token) {
  probabilities[static_cast<std::size_t>(token)] = 1.0f;
}

}  // namespace fovea
