// Sequences: a batch of sequences of vectors, stored example by example (B,S,H) or step by step (S,B,H) (room
// nn/attention). attention.h and score.h of this room read either form. A view; owns nothing.
#pragma once

#include "fovea/math/matmul.h"
#include "fovea/math/view.h"

namespace fovea {

template <class T>
struct Sequences {
  T* data = nullptr;
  Index batch = 0;         // B
  Index length = 0;        // S
  Index width = 0;         // H
  Index batch_stride = 0;  // in rows of H
  Index step_stride = 0;   // in rows of H

  Sequences() = default;
  Sequences(T* d, Index b, Index s, Index h, Index over_batch, Index over_steps)
      : data(d), batch(b), length(s), width(h), batch_stride(over_batch), step_stride(over_steps) {}
  template <class U>
    requires(std::is_same_v<const U, T>)
  Sequences(const Sequences<U>& o) : Sequences(o.data, o.batch, o.length, o.width, o.batch_stride, o.step_stride) {}

  Index row_number(Index b, Index s) const { return b * batch_stride + s * step_stride; }
  T* row(Index b, Index s) const {
    assert(b >= 0 && b < batch && s >= 0 && s < length);
    return data + row_number(b, s) * width;
  }
  // (B*S,H) all rows, in the order in which they are stored.
  Matrix<T> rows() const { return Matrix<T>(data, batch * length, width); }
  // (S,H) the first `steps` rows of one example, and (H,S).
  Operand<std::remove_const_t<T>> of(Index b, Index steps) const {
    return {data + row_number(b, 0) * width, steps, width, step_stride * width, false};
  }
  Operand<std::remove_const_t<T>> of_transposed(Index b, Index steps) const { return transposed(of(b, steps)); }
  // The same arrangement over other rows, of another width.
  template <class U>
  Sequences<U> like(U* d, Index h) const {
    return {d, batch, length, h, batch_stride, step_stride};
  }
};

template <class T>
Sequences<T> batch_major(Cube<T> x) {  // (B,S,H)
  return {x.data(), x.size(0), x.size(1), x.size(2), x.size(1), 1};
}
template <class T>
Sequences<T> time_major(Cube<T> x) {  // (S,B,H)
  return {x.data(), x.size(1), x.size(0), x.size(2), 1, x.size(1)};
}

}  // namespace fovea
