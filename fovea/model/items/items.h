// The vectors of a batch as a matrix in the model's precision.
#pragma once

#include <algorithm>
#include <type_traits>

#include "fovea/data/batch.h"
#include "fovea/nn/compute.h"

namespace fovea {

// (rows * columns, width): the batch's own memory where the precision is the same, else a copy in the arena.
template <class T>
Matrix<const T> matrix_of(const Compute& compute, const Items& items) {
  const Index rows = Index{items.rows} * items.columns, width = items.width;
  if constexpr (std::is_same_v<T, float>) {
    return Matrix<const T>(items.values.data(), rows, width);
  } else {
    const Matrix<T> copy = compute.array<T>(rows, width);
    std::copy(items.values.begin(), items.values.end(), copy.data());
    return copy;
  }
}

}  // namespace fovea
