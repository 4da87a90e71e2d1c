// A row of attention under a rule (nn/attention/attention_rule.h), for models whose rows are few or of unlike lengths
// (room model/exact).
#pragma once

#include <algorithm>
#include <span>

#include "fovea/math/vector_math.h"
#include "fovea/nn/attention/attention_rule.h"

namespace fovea {

// The softmax of scores s as the rule changes them: `learned` (what scores gave) and `used` (that, scaled or ablated).
template <class T>
struct RuledRow {
  std::span<T> learned, used;
  bool follows = true;  // whether the scores get a gradient
};

// Of row `row` of a stream. The rule changes the scores in their memory.
template <class T>
void weigh_row(const AttentionRule& rule, Index stream, Index row, std::span<const int> right, std::span<T> scores,
               RuledRow<T>& out) {
  const auto present = static_cast<Index>(scores.size());
  out.follows = !rule.ablated && !rule.holds(right);
  if (rule.holds(right)) write_pattern(rule.pattern, row, present, right, out.learned);
  else {
    if (rule.changes_scores()) change_scores(rule, stream, row, scores);
    softmax(std::span<const T>(scores), out.learned);
  }
  std::ranges::copy(out.learned, out.used.begin());
  change_weights(rule, right, out.used);
  if (rule.ablated) std::ranges::fill(out.used, T{0});
}

// d of the used weights becomes d of the scores before the rule changed them.
template <class T>
void weigh_row_backward(const AttentionRule& rule, std::span<const int> right, const RuledRow<T>& row, std::span<T> d) {
  change_weights_backward(rule, right, d);
  const T mean = dot(std::span<const T>(row.learned), std::span<const T>(d));
  const T slope = score_slope<T>(rule);
  for (std::size_t j = 0; j < d.size(); ++j) d[j] = row.follows ? slope * (row.learned[j] * (d[j] - mean)) : T{0};
}

}  // namespace fovea
