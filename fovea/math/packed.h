// A right-hand matrix rearranged, so that products with it run at the processor's full rate: once for many of them
// where a recurrent net multiplies by the same weights at every time step, else for a single one (math/matmul.h does
// that).
#pragma once

#include "fovea/base/arena.h"
#include "fovea/math/matmul.h"

namespace fovea {

template <class T>
struct PackedMatrix {
  const T* panels = nullptr;  // panels of panel_width columns, K deep, zero-padded at the edge
  Index rows = 0;             // K
  Index columns = 0;          // N
};

// As wide for every instruction set, so that what was packed under one can be used under another.
inline constexpr Index panel_width = 16;

template <class T>
Index panels_of(const Operand<T>& b) {
  return (b.columns + panel_width - 1) / panel_width;
}
template <class T>
std::size_t packed_size(const Operand<T>& b) {
  return static_cast<std::size_t>(panels_of(b) * panel_width * b.rows);
}

// Rearranges panels [begin, end) of b (K,N) into their place in `panels`, which has packed_size(b) elements at a
// 64-byte boundary.
template <class T>
void pack_panels(Operand<T> b, Index begin, Index end, T* panels);

// Rearranges b (K,N); the result lives in the arena.
template <class T>
PackedMatrix<T> pack(Arena& arena, Operand<T> b);

// This thread's own memory for packing, until its next call for as many or more.
template <class T>
T* packing_space(std::size_t count);

// c (M,N) = a (M,K) b, or c += a b. Each element is summed over K in one fixed order whatever M is and wherever its row
// stands: cutting the rows among threads changes no bit. Single-threaded. Instantiated for float and double.
template <class T>
void matmul_packed(Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c, Into into = Into::overwrite,
                   Index c_stride = 0);

}  // namespace fovea
