#include "fovea/nn/gated_linear.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/buffer.h"
#include "fovea/math/matmul.h"
#include "fovea/nn/simd/elementwise_kernels.h"

namespace fovea {

namespace {

constexpr Index gated_linear_grain = 512;  // features a piece: x and W of a piece fit into the second-level cache

// A thread's own room for what is made of a piece: it is near still when the next piece is begun.
template <class T>
Matrix<T> room_for(Index rows, Index width) {
  return Matrix<T>(own_room<T, struct WeighedPiece>(static_cast<std::size_t>(rows * width)), rows, width);
}

// out (R,width) = columns of a (R,I) times those of w (1,I) or (R,I).
template <class T>
void weigh(Operand<T> a, Matrix<const T> w, Index begin, Matrix<T> out) {
  const Index width = out.size(1);
  for (Index r = 0; r < a.rows; ++r) {
    const T* const from = a.line(r) + begin;
    const T* const by = w.data() + (w.size(0) == 1 ? 0 : r * w.size(1)) + begin;
    T* const to = out.data() + r * width;
    elementwise_kernels::multiply(from, by, to, static_cast<std::size_t>(width));
  }
}

}  // namespace

template <class T>
Matrix<T> GatedLinear<T>::forward(Compute& compute, Operand<T> x, Matrix<const T> w) const {
  const Index rows = x.rows, in = linear.in, out = linear.out;
  const Index pieces = (in + gated_linear_grain - 1) / gated_linear_grain;
  const bool weighted = w.data() != nullptr, shared = weighted && w.size(0) == 1;
  assert(x.columns == in && (!weighted || (w.size(1) == in && (shared || w.size(0) == rows))));
  const Operand<T> weight = plain(linear.weight->matrix());
  const Cube<T> sums = compute.array<T>(pieces, rows, out);
  const Index weighed_rows = !weighted ? 0 : shared ? out : rows;
  compute.team.split(in, gated_linear_grain, [&](Index begin, Index end) {
    const Index width = end - begin;
    const Matrix<T> sum = sums[begin / gated_linear_grain];
    const Matrix<T> weighed = room_for<T>(weighed_rows, width);
    if (!weighted) {
      matmul(compute.products, columns_of(x, begin, width), transposed(columns_of(weight, begin, width)), sum);
    } else if (shared) {
      weigh(weight, w, begin, weighed);
      matmul(compute.products, columns_of(x, begin, width), transposed(weighed), sum);
    } else {
      weigh(x, w, begin, weighed);
      matmul(compute.products, plain(weighed), transposed(columns_of(weight, begin, width)), sum);
    }
  });
  const Matrix<T> y = compute.array<T>(rows, out);
  compute.team.split(rows, 32, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      T* const row = y.data() + n * out;
      std::copy_n(linear.bias->value, out, row);
      for (Index p = 0; p < pieces; ++p) {
        const T* const part = sums.data() + (p * rows + n) * out;
        for (Index j = 0; j < out; ++j) row[j] += gain * part[j];
      }
    }
  });
  return y;
}

template <class T>
void GatedLinear<T>::backward(Compute& compute, Operand<T> x, Matrix<const T> w, Matrix<const T> dy,
                              Matrix<T> dw) const {
  const Index rows = x.rows, in = linear.in, out = linear.out;
  const Matrix<T> scaled = compute.array<T>(rows, out);
  for (Index i = 0; i < dy.count(); ++i) scaled.data()[i] = gain * dy.data()[i];
  const bool weighted = w.data() != nullptr, shared = weighted && w.size(0) == 1;
  assert(dy.size(0) == rows && dy.size(1) == out && (dw.data() == nullptr || dw.shape() == w.shape()));
  const Operand<T> weight = plain(linear.weight->matrix());
  T* const dweight = linear.weight->gradient;
  const Index weighed_rows = !weighted ? 0 : shared ? out : rows;
  if (compute.trains()) add_rows(compute.team, dy, linear.bias->vector_gradient());
  compute.team.split(in, gated_linear_grain, [&](Index begin, Index end) {
    const Index width = end - begin;
    const Matrix<T> into(dweight + begin, out, width);
    const Matrix<T> weighed = room_for<T>(weighed_rows, width);
    if (!weighted) {
      if (compute.trains())
        matmul(compute.products, transposed(scaled), columns_of(x, begin, width), into, Into::add, in);
      return;
    }
    if (!shared) {
      if (compute.trains()) {
        weigh(x, w, begin, weighed);
        matmul(compute.products, transposed(scaled), plain(weighed), into, Into::add, in);
      }
      if (!dw.data()) return;
      matmul(compute.products, plain(scaled), columns_of(weight, begin, width), weighed);  // d (w ⊙ x)
      for (Index n = 0; n < rows; ++n) {
        const T* const d = weighed.data() + n * width;
        const T* const from = x.line(n) + begin;
        T* const to = dw.data() + n * in + begin;
        elementwise_kernels::multiply(d, from, to, static_cast<std::size_t>(width));
      }
      return;
    }
    // With M = W ⊙ w: dM = dyᵀ x, dW = dM ⊙ w and dw = the column sums of dM ⊙ W.
    matmul(compute.products, transposed(scaled), columns_of(x, begin, width), weighed);
    const T* const by = w.data() + begin;
    T* const to = dw.data() ? dw.data() + begin : nullptr;
    if (to) std::fill(to, to + width, T{0});
    for (Index j = 0; j < out; ++j) {
      const T* const d = weighed.data() + j * width;
      const T* const from = weight.line(j) + begin;
      T* const g = dweight + j * in + begin;
      if (compute.trains()) elementwise_kernels::add_product(d, by, g, static_cast<std::size_t>(width));
      if (to) elementwise_kernels::add_product(d, from, to, static_cast<std::size_t>(width));
    }
  });
}

template struct GatedLinear<float>;
template struct GatedLinear<double>;

}  // namespace fovea
