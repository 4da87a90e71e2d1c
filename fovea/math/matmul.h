// Matrix products in float and double, single-threaded (room math). Layers, models and probes call it;
// nn/team_matmul.h is the form for a team of threads. The kernels are in math/packed.cpp. On large products they are
// as fast as oneDNN (bench/math_bench.cpp). On products that share an operand they are faster.
//
// Each element of a result is summed in one order. A caller that divides the work (Team) gets the same bits from any
// number of threads, with one exception: a piece of two rows or columns or fewer, of a whole that has more.
#pragma once

#include "fovea/math/products.h"
#include "fovea/math/view.h"

namespace fovea {

// A matrix operand: rows x columns as the product sees it. Its stored rows are `stride` apart from `data` on, or each
// begins where `lines` says, `first` numbers on.
template <class T>
struct Operand {
  const T* data;
  Index rows, columns;  // after transposition
  Index stride;
  bool transposed;
  const T* const* lines = nullptr;
  Index first = 0;

  const T* line(Index stored) const { return lines ? lines[stored] + first : data + stored * stride; }
};

template <class T>
Operand<std::remove_const_t<T>> plain(Matrix<T> a) {
  return {a.data(), a.size(0), a.size(1), a.size(1), false};
}
template <class T>
Operand<std::remove_const_t<T>> transposed(Matrix<T> a) {
  return {a.data(), a.size(1), a.size(0), a.size(1), true};
}
template <class T>
Operand<T> transposed(Operand<T> a) {
  return {a.data, a.columns, a.rows, a.stride, !a.transposed, a.lines, a.first};
}

// Rows [begin, begin + count) of a, as the product sees them; and columns.
template <class T>
Operand<T> rows_of(Operand<T> a, Index begin, Index count) {
  if (a.transposed && a.lines) a.first += begin;
  else if (a.lines) a.lines += begin;
  else a.data += begin * (a.transposed ? 1 : a.stride);
  a.rows = count;
  return a;
}
template <class T>
Operand<T> columns_of(Operand<T> a, Index begin, Index count) {
  return transposed(rows_of(transposed(a), begin, count));
}

enum class Into { overwrite, add };

// c (M,N) = a (M,K) b (K,N), or c += a b. `c_stride` is the distance between rows of c (0: its number of columns).
// Operands must not overlap c, and those with `lines` ask for full products. With up to two rows or columns (matrix
// times vector) products are full whatever is said. Instantiated for float and double.
template <class T>
void matmul(Products products, Operand<T> a, Operand<T> b, Matrix<T> c, Into into = Into::overwrite,
            Index c_stride = 0);
template <class T>
void matmul(Operand<T> a, Operand<T> b, Matrix<T> c, Into into = Into::overwrite, Index c_stride = 0) {
  matmul(Products::full, a, b, c, into, c_stride);
}

}  // namespace fovea
