// Rotary positions (room nn/attention). They write only their outputs and gradients. multi_head.h of this room alone
// applies them. Pairs of numbers of a query or key are turned by an angle that grows with the position. Their inner
// product then depends on the distance of two positions alone. A head of K numbers, K even, at position t (from 0):
//
//   φ_m = t 10000^(-2m/K)                                       m = 0 .. K/2 - 1
//   y_m = x_m cos φ_m - x_(m+K/2) sin φ_m                       y_(m+K/2) = x_m sin φ_m + x_(m+K/2) cos φ_m
//
// Backward is the same by -φ.
#pragma once

#include <vector>

#include "fovea/nn/compute.h"
#include "fovea/nn/stream_rows.h"

namespace fovea {

template <class T>
class Rotary {
 public:
  Rotary() = default;
  Rotary(Index positions, Index head_width);  // K even

  bool turns() const { return half_ > 0; }  // false of one that was made of nothing

  enum class Turn { forward, backward };
  // x (G, H K) in place, of rows given of streams of T positions (nn/stream_rows.h).
  void turn(Team& team, Turn turn, Matrix<T> x, Index positions, RowMap given) const;

 private:
  Index half_ = 0;          // K/2
  std::vector<T> circles_;  // (positions, 2, K/2) cos φ and sin φ
};

}  // namespace fovea
