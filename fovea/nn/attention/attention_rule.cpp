#include "fovea/nn/attention/attention_rule.h"

#include <algorithm>

namespace fovea {

using Pattern = AttentionRule::Pattern;

const AttentionPatterns attention_patterns{{"uniform", Pattern::uniform},
                                           {"previous", Pattern::previous},
                                           {"first", Pattern::first},
                                           {"truth", Pattern::truth}};

template <class T>
void write_pattern(Pattern pattern, Index i, Index present, std::span<const int> right, std::span<T> weights) {
  std::ranges::fill(weights, T{0});
  const auto at = [&](Index j) -> T& { return weights[static_cast<std::size_t>(j)]; };
  switch (pattern) {
    case Pattern::learned:
      return;
    case Pattern::uniform:
      if (present > 0) std::fill_n(weights.data(), present, T{1} / static_cast<T>(present));
      return;
    case Pattern::previous:  // of the first row: itself
      at(std::max<Index>(i - 1, 0)) = 1;
      return;
    case Pattern::first:
      at(0) = 1;
      return;
    case Pattern::truth:  // evenly on the right positions
      for (const int j : right) at(j) = T{1} / static_cast<T>(right.size());
      return;
  }
}

template void write_pattern(Pattern, Index, Index, std::span<const int>, std::span<float>);
template void write_pattern(Pattern, Index, Index, std::span<const int>, std::span<double>);

AttentionRule AttentionRules::of(int layer, int head) const {
  AttentionRule joined;
  joined.layer = layer;
  joined.head = head;
  for (const auto& [of_layer, of_head, rule] : all) {
    if ((of_layer != 0 && of_layer != layer) || (of_head != 0 && of_head != head)) continue;
    if (rule.pattern != Pattern::learned) joined.pattern = rule.pattern;
    joined.scale *= rule.scale;
    joined.ablated = joined.ablated || rule.ablated;
    joined.copy += rule.copy;
    if (rule.shift) joined.shift = rule.shift;
  }
  return joined;
}

}  // namespace fovea
