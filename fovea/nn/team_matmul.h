// A matrix product shared by a team: cut into pieces of a fixed size, so its bits do not depend on the number of
// threads.
#pragma once

#include <algorithm>

#include "fovea/math/packed.h"
#include "fovea/nn/compute.h"

namespace fovea {

// c (M,N) = a (M,K) b (K,N), or c += a b, of rearranged b. `c_stride` is the distance between rows of c (0: N). The
// team shares the rows of c, and its columns where there are few rows.
template <class T>
void team_multiply(const Compute& compute, Operand<T> a, const PackedMatrix<T>& b, Matrix<T> c,
                   Into into = Into::overwrite, Index c_stride = 0) {
  constexpr Index rows_grain = 128, columns_grain = 480;
  const Index stride = c_stride == 0 ? c.size(1) : c_stride;
  const Index down = (c.size(0) + rows_grain - 1) / rows_grain;
  const Index width = down >= 8 ? c.size(1) : columns_grain;
  const Index across = (c.size(1) + width - 1) / width;
  compute.team.each(static_cast<int>(down * across), [&](int tile) {
    const Index row = tile / across * rows_grain, rows = std::min(rows_grain, c.size(0) - row);
    const Index column = tile % across * width, columns = std::min(width, c.size(1) - column);
    const Operand<T> left{a.data + row * (a.transposed ? 1 : a.stride), rows, a.columns, a.stride, a.transposed};
    matmul_packed(left, b.columns_from(column, columns), Matrix<T>(c.data() + row * stride + column, rows, columns),
                  into, stride);
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

// The product with b as it stands, which the team rearranges first.
template <class T>
void team_matmul(const Compute& compute, Operand<T> a, Operand<T> b, Matrix<T> c, Into into = Into::overwrite,
                 Index c_stride = 0) {
  constexpr Index few_operations = 1 << 16;
  if (std::min(c.size(0), c.size(1)) <= 2 || c.size(0) * c.size(1) * a.columns <= few_operations) {
    matmul(compute.products, a, b, c, into, c_stride == 0 ? c.size(1) : c_stride);
    return;
  }
  team_multiply(compute, a, team_pack(compute, b, packing_space<T>(packed_size(compute.products, b))), c, into,
                c_stride);
}

}  // namespace fovea
