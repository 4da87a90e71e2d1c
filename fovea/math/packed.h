// A right-hand matrix rearranged once, so that many products with it run at the processor's full rate: a recurrent net
// multiplies by the same weights at every time step.
#pragma once

#include "fovea/base/arena.h"
#include "fovea/math/matmul.h"

namespace fovea {

template <class T>
struct PackedMatrix {
  const T* panels = nullptr;  // panels of a few columns each, K deep, zero-padded at the edge
  Index rows = 0;             // K
  Index columns = 0;          // N
};

// Rearranges b (K,N); the result lives in the arena.
template <class T>
PackedMatrix<T> pack(Arena& arena, Operand<T> b);

// c (M,N) = a (M,K) b, or c += a b. Each element is summed over K in one fixed order whatever M is and wherever its row
// stands: cutting the rows among threads changes no bit. Single-threaded. Instantiated for float and double.
template <class T>
void matmul_packed(Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c, Into into = Into::overwrite, Index c_stride = 0);

}  // namespace fovea
