// A matrix product shared by a team: the result is cut into tiles of a fixed size, so its bits do not depend on the
// number of threads.
#pragma once

#include <algorithm>

#include "fovea/base/team.h"
#include "fovea/math/matmul.h"

namespace fovea {

// c (M,N) = a (M,K) b (K,N), or c += a b. `c_stride` is the distance between rows of c (0: N).
template <class T>
void team_matmul(Team& team, Operand<T> a, Operand<T> b, Matrix<T> c, Into into = Into::overwrite, Index c_stride = 0) {
  constexpr Index rows_grain = 128, columns_grain = 512;
  const Index stride = c_stride == 0 ? c.size(1) : c_stride;
  const Index down = (c.size(0) + rows_grain - 1) / rows_grain;
  const Index across = (c.size(1) + columns_grain - 1) / columns_grain;
  team.each(static_cast<int>(down * across), [&](int tile) {
    const Index row = tile / across * rows_grain;
    const Index column = tile % across * columns_grain;
    const Index rows = std::min(rows_grain, c.size(0) - row);
    const Index columns = std::min(columns_grain, c.size(1) - column);
    const Operand<T> left{a.data + row * (a.transposed ? 1 : a.stride), rows, a.columns, a.stride, a.transposed};
    const Operand<T> right{b.data + column * (b.transposed ? b.stride : 1), b.rows, columns, b.stride, b.transposed};
    matmul(left, right, Matrix<T>(c.data() + row * stride + column, rows, columns), into, stride);
  });
}

}  // namespace fovea
