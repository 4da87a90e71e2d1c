// A matrix product shared by a team of threads (room nn). It writes only the product. Layers and models call it. Each
// number of the result is summed in one order, however the product is divided (math/packed.h). Its bits do not depend
// on the number of threads.
#pragma once

#include <algorithm>
#include <numeric>

#include "fovea/math/packed.h"
#include "fovea/nn/compute.h"

namespace fovea {

// The rows and columns of each piece into which a team of several cuts a product (the last ones may be smaller): few
// enough that what a piece reads and writes stays in the second-level cache, and about as many for each thread.
struct ProductPieces {
  Index rows, columns;

  static ProductPieces of(Index rows, Index columns, int threads) {
    constexpr Index most_rows = 128, tile_rows = 8;
    Index down = parts(rows, most_rows);
    const bool tall = rows >= columns;
    if (tall) down = std::min(parts(down, threads) * threads, parts(rows, tile_rows));
    return {parts(parts(rows, down), tile_rows) * tile_rows,
            tall ? columns : across(columns, threads / std::gcd(down, Index{threads}))};
  }
  // The columns of each piece where there are about as many pieces for each of `shares`.
  static Index across(Index columns, Index shares) {
    constexpr Index most_columns = 480;
    const Index pieces = parts(parts(columns, most_columns), shares) * shares;
    return parts(parts(columns, pieces), panel_width) * panel_width;
  }
  static Index parts(Index whole, Index part) { return (whole + part - 1) / part; }
};

// c (M,N) = a (M,K) b (K,N), or c += a b, of rearranged b. `c_stride` is the distance between rows of c (0: N).
template <class T>
void team_multiply(const Compute& compute, Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c,
                   Into into = Into::overwrite, Index c_stride = 0) {
  if (c.empty()) return;
  if (compute.team.threads() == 1) return matmul_packed(a, b, c, into, c_stride);
  const Index stride = c_stride == 0 ? c.size(1) : c_stride;
  const ProductPieces piece = ProductPieces::of(c.size(0), c.size(1), compute.team.threads());
  const Index down = ProductPieces::parts(c.size(0), piece.rows);
  const Index across = ProductPieces::parts(c.size(1), piece.columns);
  compute.team.each(static_cast<int>(down * across), [&](int tile) {
    const Index row = tile / across * piece.rows, rows = std::min(piece.rows, c.size(0) - row);
    const Index column = tile % across * piece.columns, columns = std::min(piece.columns, c.size(1) - column);
    matmul_packed(rows_of(a, row, rows), b.columns_from(column, columns),
                  Matrix<T>(c.data() + row * stride + column, rows, columns), into, stride);
  });
}

// Rearranges b into panels, which has packed_size(b) elements (math/packed.h).
template <class T>
PackedMatrix<T> team_pack(const Compute& compute, Operand<T> b, T* panels) {
  constexpr Index panels_grain = 8;
  compute.team.split(panels_of(b), panels_grain, [&](Index begin, Index end) {
    pack_panels(compute.products, b, begin, std::min(end, panels_of(b)), panels);
  });
  return {compute.products, panels, b.rows, b.columns};
}
template <class T>
PackedMatrix<T> team_pack(const Compute& compute, Operand<T> b) {
  return team_pack(compute, b, compute.arena.take<T>(packed_size(compute.products, b)).data());
}

// The product with b as it stands. One thread rearranges it as it goes (math/packed.h), and so does each of several,
// for columns of its own, where b does not stay near and a is smaller; else the team rearranges it first.
template <class T>
void team_matmul(const Compute& compute, Operand<T> a, Operand<T> b, Matrix<T> c, Into into = Into::overwrite,
                 Index c_stride = 0) {
  constexpr Index few_operations = 1 << 16, few_rows = 8, large = 1 << 18, fewest_columns = 128;
  const Index rows = c.size(0), columns = c.size(1), stride = c_stride == 0 ? columns : c_stride;
  const Index threads = compute.team.threads();
  if (threads == 1) {
    matmul(compute.products, a, b, c, into, stride);
  } else if (std::min(rows, columns) <= 2 || rows * columns * a.columns <= few_operations) {
    const Index grain = std::max(few_rows, few_operations / std::max(Index{1}, columns * a.columns));
    const Index pieces = std::max(Index{1}, rows / grain);
    compute.team.each(static_cast<int>(pieces), [&](int i) {
      const Index begin = rows * i / pieces, count = rows * (i + 1) / pieces - begin;
      matmul(compute.products, rows_of(a, begin, count), b, Matrix<T>(c.data() + begin * stride, count, columns), into,
             stride);
    });
  } else if (compute.products == Products::full && rows < columns && b.rows * columns >= large &&
             columns >= threads * fewest_columns) {
    compute.team.split(columns, ProductPieces::across(columns, threads), [&](Index begin, Index end) {
      matmul_packing(a, columns_of(b, begin, end - begin), Matrix<T>(c.data() + begin, rows, end - begin), into,
                     stride);
    });
  } else {
    team_multiply(compute, a, team_pack(compute, b, packing_space<T>(packed_size(compute.products, b))), c, into,
                  stride);
  }
}

}  // namespace fovea
