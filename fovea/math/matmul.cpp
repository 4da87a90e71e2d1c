#include "fovea/math/matmul.h"

#include <algorithm>
#include <cassert>

#include "fovea/math/packed.h"
#include "fovea/math/vector_math.h"

namespace fovea {
namespace {

template <class T>
std::span<T> span_of(T* data, Index count) {
  return {data, static_cast<std::size_t>(count)};
}

// Row i of a times b, without rearranging b for so little: c_j (+)= Σ_k a_ik b_kj, with c_j `c_step` apart. `sums` has
// room for a row of c, and `row` for one of a.
template <class T>
void row_times(const Operand<T>& a, Index i, const Operand<T>& b, T* c, Index c_step, Into into, T* sums, T* row) {
  for (Index k = 0; k < b.rows; ++k) row[k] = a.transposed ? a.line(k)[i] : a.line(i)[k];
  if (b.transposed) {
    for (Index j = 0; j < b.columns; ++j) sums[j] = dot(span_of<const T>(row, b.rows), span_of(b.line(j), b.rows));
  } else {
    std::fill_n(sums, b.columns, T{});
    for (Index k = 0; k < b.rows; ++k) add_scaled(row[k], span_of(b.line(k), b.columns), span_of(sums, b.columns));
  }
  for (Index j = 0; j < b.columns; ++j) c[j * c_step] = into == Into::add ? c[j * c_step] + sums[j] : sums[j];
}

// Few rows of a: each by itself. Few columns of b: the same, turned around.
template <class T>
void multiply_thin(Operand<T> a, Operand<T> b, T* c, Index row_step, Index column_step, Into into) {
  T* const space = packing_space<T>(static_cast<std::size_t>(b.rows + b.columns));
  for (Index i = 0; i < a.rows; ++i) row_times(a, i, b, c + i * row_step, column_step, into, space, space + b.columns);
}

constexpr Index thin = 2;

}  // namespace

template <class T>
void matmul(Products products, Operand<T> a, Operand<T> b, Matrix<T> c, Into into, Index c_stride) {
  assert(a.columns == b.rows && a.rows == c.size(0) && b.columns == c.size(1));
  if (c_stride == 0) c_stride = c.size(1);
  if (c.empty()) return;
  if (a.rows <= thin) {
    multiply_thin(a, b, c.data(), c_stride, Index{1}, into);
  } else if (b.columns <= thin) {
    multiply_thin(transposed(b), transposed(a), c.data(), Index{1}, c_stride, into);
  } else if (products == Products::full) {
    matmul_packing(a, b, c, into, c_stride);
  } else {
    T* const panels = packing_space<T>(packed_size(products, b));
    pack_panels(products, b, 0, panels_of(b), panels);
    matmul_packed(a, PackedMatrix<T>(products, panels, b.rows, b.columns), c, into, c_stride);
  }
}

template void matmul(Products, Operand<float>, Operand<float>, Matrix<float>, Into, Index);
template void matmul(Products, Operand<double>, Operand<double>, Matrix<double>, Into, Index);

}  // namespace fovea
