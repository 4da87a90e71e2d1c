// Builds RightPositions: the positions that right answers of a batch need (room model). Models pass them to attention
// rules, and probes of heads read them. Reads the batch; changes nothing.
#pragma once

#include <algorithm>

#include "fovea/base/arena.h"
#include "fovea/data/batch.h"
#include "fovea/nn/attention/attention_rule.h"

namespace fovea {

// Of batches with a target: a row for each position of it, from their patterns, or else from their alignment.
inline RightPositions right_positions(const Batch& batch) {
  if (batch.pattern_width > 0) return {batch.pattern, batch.pattern_width};
  return {batch.alignment, 1};
}

// The same, or of batches that mark positions a row for each example. None where the rule does not read them.
inline RightPositions right_positions(Arena& arena, const Batch& batch, const AttentionRule& rule) {
  if (!rule.reads_right()) return {};
  if (batch.marked.empty()) return right_positions(batch);
  const auto width = batch.marked.size() / static_cast<std::size_t>(batch.size);
  const std::span<int> positions = arena.take<int>(batch.marked.size());
  std::ranges::fill(positions, -1);
  for (std::size_t begin = 0; begin < positions.size(); begin += width) {
    auto next = positions.begin() + static_cast<std::ptrdiff_t>(begin);
    for (std::size_t i = 0; i < width; ++i)
      if (batch.marked[begin + i] != 0) *next++ = static_cast<int>(i);
  }
  return {positions, static_cast<Index>(width)};
}

}  // namespace fovea
