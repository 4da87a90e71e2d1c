// The vectors of a batch (Items) in the model's precision (room model/items). The models of this room and `glimpse`
// call it. It copies only if the batch has another precision.
#pragma once

#include <algorithm>
#include <type_traits>

#include "fovea/data/batch.h"
#include "fovea/math/matmul.h"
#include "fovea/nn/compute.h"

namespace fovea {

// (rows * columns, width): the batch's own memory where they stand there in this precision, else a copy in the arena.
template <class T>
Matrix<const T> matrix_of(const Compute& compute, const Items& items) {
  const Index rows = Index{items.rows} * items.columns, width = items.width;
  if constexpr (std::is_same_v<T, float>) {
    if (items.lines.empty()) return Matrix<const T>(items.values.data(), rows, width);
  }
  const Matrix<T> copy = compute.array<T>(rows, width);
  for (int b = 0; b < items.rows; ++b)
    for (int i = 0; i < items.columns; ++i)
      std::copy_n(items.item(b, i), width, copy[Index{b} * items.columns + i].data());
  return copy;
}

// The same for a product that takes rows from where they are: no copy but for other precisions.
template <class T>
Operand<T> operand_of(const Compute& compute, const Items& items) {
  if constexpr (std::is_same_v<T, float>) {
    if (!items.lines.empty() && compute.products == Products::full)
      return {nullptr, Index{items.rows} * items.columns, items.width, 0, false, items.lines.data()};
  }
  return plain(matrix_of<T>(compute, items));
}

}  // namespace fovea
