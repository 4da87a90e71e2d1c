// Gathers the present positions of padded sequences, for products over all positions (room nn/recurrent).
// weight_gradients.cpp of this room alone calls it.
#pragma once

#include <algorithm>
#include <span>

#include "fovea/nn/recurrent/recurrent_layer.h"

namespace fovea::recurrence {

// The positions t B + row that are there, step by step, where rows are over so early that these are worth gathering;
// else none.
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

// (count, columns), row i copied from row_of(i).
template <class T>
Matrix<T> gathered(Compute& compute, std::size_t count, Index columns, const auto& row_of) {
  const Matrix<T> rows = compute.array<T>(static_cast<Index>(count), columns);
  compute.team.split(rows.size(0), 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) std::copy_n(row_of(static_cast<std::size_t>(i)), columns, rows[i].data());
  });
  return rows;
}

}  // namespace fovea::recurrence
