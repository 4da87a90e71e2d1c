// PackedMatrix: a right-hand matrix rearranged for products at the processor's full rate (room math). Recurrent
// layers pack their weights once for all time steps. math/matmul.cpp packs for a single product. nn/team_matmul.h,
// self-attention and `pooling` use it too.
#pragma once

#include <type_traits>

#include "fovea/base/arena.h"
#include "fovea/base/buffer.h"
#include "fovea/math/bf16x3.h"
#include "fovea/math/matmul.h"

namespace fovea {

// As wide for every instruction set, so that what was packed under one can be used under another.
inline constexpr Index panel_width = 16;

// Rows of memory that a panel of so many rows takes; split ones (math/bf16x3.h) come in chunks, and take as much
// memory.
template <class T>
constexpr Index panel_depth(Products products, Index rows) {
  const bool split = std::is_same_v<T, float> && products == Products::bf16x3;
  return split ? bf16x3::chunks_of(rows) * bf16x3::chunk : rows;
}

template <class T>
struct PackedMatrix {
  const T* panels = nullptr;  // of panel_width columns, `depth` deep, zero-padded at the edge
  Index rows = 0;             // K
  Index columns = 0;          // N
  Index depth = 0;
  Products products = Products::full;

  PackedMatrix() = default;
  PackedMatrix(Products products, const T* panels, Index rows, Index columns)
      : panels(panels), rows(rows), columns(columns), depth(panel_depth<T>(products, rows)), products(products) {}

  // Columns [begin, begin + count), where a panel begins; the first rows, of finite numbers all.
  PackedMatrix columns_from(Index begin, Index count) const {
    PackedMatrix part = *this;
    part.panels += begin * depth;
    part.columns = count;
    return part;
  }
  PackedMatrix first_rows(Index count) const {
    PackedMatrix part = *this;
    part.rows = count;
    return part;
  }
};

template <class T>
Index panels_of(const Operand<T>& b) {
  return (b.columns + panel_width - 1) / panel_width;
}
template <class T>
std::size_t packed_size(Products products, const Operand<T>& b) {
  return static_cast<std::size_t>(panels_of(b) * panel_width * panel_depth<T>(products, b.rows));
}

// Rearranges panels [begin, end) of b (K,N) into their place in `panels`, which has packed_size(b) elements at a
// 64-byte boundary.
template <class T>
void pack_panels(Products products, Operand<T> b, Index begin, Index end, T* panels);

// Rearranges b (K,N); the result lives in the arena.
template <class T>
PackedMatrix<T> pack(Arena& arena, Products products, Operand<T> b);

// This thread's own memory for packing, until it asks for it again, as matmul, matmul_packing and team_matmul do.
template <class T>
T* packing_space(std::size_t count) {
  return own_room<T, struct PackingSpace>(count);
}

// c (M,N) = a (M,K) b, or c += a b. Each element is summed over K in one fixed order whatever M and N are and wherever
// it stands: cutting rows or columns among threads changes no bit. Single-threaded. Instantiated for float and double.
template <class T>
void matmul_packed(Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c, Into into = Into::overwrite,
                   Index c_stride = 0);

// The same for b as it stands, which is rearranged group by group, each just before it is used: for a product whose
// right-hand matrix serves it alone.
template <class T>
void matmul_packing(Operand<T> a, const Operand<T>& b, Matrix<T> c, Into into = Into::overwrite, Index c_stride = 0);

}  // namespace fovea
