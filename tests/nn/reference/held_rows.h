// The weights of patterns of attention by their equations (fovea/nn/attention/attention_rule.h), of self-attention:
//
//   uniform   a_ij = 1 / (i + 1)
//   previous  a_ij = 1 at j = max(i - 1, 0), else 0
//   first     a_ij = 1 at j = 0, else 0
//   truth     a_ij = 1/m at the m right positions of i, else 0; a row of no right position is not held
//
// A new pattern needs its equation here.
#pragma once

#include <algorithm>

#include "fovea/nn/attention/attention_rule.h"
#include "fovea/nn/reference/array.h"

namespace fovea::testing {

// (T,T), 0 in rows that are not held. right (T,T): 1 where j is right for i.
inline reference::Array<2> held_rows(AttentionRule::Pattern pattern, const reference::Array<2>& right) {
  using Pattern = AttentionRule::Pattern;
  const Index T = right.size(0);
  reference::Array<2> held(T, T);
  for (Index i = 0; i < T; ++i) {
    double count = 0;
    for (Index j = 0; j <= i; ++j) count += right(i, j);
    for (Index j = 0; j <= i; ++j) {
      if (pattern == Pattern::uniform) held(i, j) = 1.0 / static_cast<double>(i + 1);
      if (pattern == Pattern::previous) held(i, j) = j == std::max<Index>(i - 1, 0) ? 1 : 0;
      if (pattern == Pattern::first) held(i, j) = j == 0 ? 1 : 0;
      if (pattern == Pattern::truth) held(i, j) = right(i, j) != 0 ? 1 / count : 0;
    }
  }
  return held;
}

}  // namespace fovea::testing
