// TwoSpaces: a random linear map A between two spaces, and its pseudo-inverse A⁺ (room data). The task `two-spaces`
// draws it. The probe of the recovered map (probe/systems/recovered_map.cpp) compares a model with it.
//
//   A = U diag(s) Vᵀ      A (d_k,d_q), r = min(d_q,d_k), U (d_k,r) and V (d_q,r) with orthonormal columns drawn from
//                         a seed, s from 1/2 to 2, evenly by their logarithms
//   A⁺ = V diag(1/s) Uᵀ   A⁺ A is the identity where d_k >= d_q, else the projection on what A keeps
#pragma once

#include <cstdint>
#include <vector>

namespace fovea {

struct TwoSpaces {
  int query_width = 0, key_width = 0;  // d_q, d_k
  std::vector<double> there;           // A (d_k,d_q)
  std::vector<double> back;            // A⁺ (d_q,d_k)

  static TwoSpaces draw(std::uint64_t seed, int query_width, int key_width);
};

}  // namespace fovea
