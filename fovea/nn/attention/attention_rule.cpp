#include "fovea/nn/attention/attention_rule.h"

#include <algorithm>
#include <cassert>

namespace fovea {

using Pattern = AttentionRule::Pattern;

const AttentionPatterns attention_patterns{{"uniform", Pattern::uniform},
                                           {"previous", Pattern::previous},
                                           {"first", Pattern::first},
                                           {"truth", Pattern::truth}};

template <class T>
void write_pattern(Pattern pattern, Index i, Index present, std::span<const int> right, std::span<T> weights) {
  assert(present >= 0 && present <= std::ssize(weights));
  std::ranges::fill(weights, T{0});
  const std::span<T> there = weights.first(static_cast<std::size_t>(present));
  const auto put = [&](Index j, T weight) {
    if (j < present) there[static_cast<std::size_t>(j)] = weight;
  };
  switch (pattern) {
    case Pattern::learned:
      return;
    case Pattern::uniform:
      if (present > 0) std::ranges::fill(there, T{1} / static_cast<T>(present));
      return;
    case Pattern::previous:  // of the first row: itself
      put(std::max<Index>(i - 1, 0), 1);
      return;
    case Pattern::first:
      put(0, 1);
      return;
    case Pattern::truth: {  // evenly on the right positions that are present
      const auto count = std::ranges::count_if(right, [&](int j) { return j < present; });
      for (const int j : right) put(j, T{1} / static_cast<T>(count));
      return;
    }
  }
}

template void write_pattern(Pattern, Index, Index, std::span<const int>, std::span<float>);
template void write_pattern(Pattern, Index, Index, std::span<const int>, std::span<double>);

double AttentionRule::shift_at(Index stream, Index i, Index j) const {
  double total = 0;
  for (const ScopedRule& one : pass.all) {
    if (!one.concerns(layer, head)) continue;
    total *= one.rule.factor;
    if (one.rule.shift) total += one.rule.shift->at(layer, head, pass.first_stream + stream, i, j);
  }
  return total;
}

template <class T>
void change_scores(const AttentionRule& rule, Index stream, Index i, std::span<T> scores, T unit,
                   std::span<T> addends) {
  if (rule.factor != 1) {
    for (T& s : scores) s *= static_cast<T>(rule.factor);
    for (T& s : addends) s *= static_cast<T>(rule.factor);
  }
  for (std::size_t j = 0; rule.shift && j < scores.size(); ++j)
    scores[j] += static_cast<T>(rule.shift_at(stream, i, static_cast<Index>(j))) / unit;
}

template void change_scores(const AttentionRule&, Index, Index, std::span<float>, float, std::span<float>);
template void change_scores(const AttentionRule&, Index, Index, std::span<double>, double, std::span<double>);

template <class T>
void change_weights(const AttentionRule& rule, std::span<const int> right, std::span<T> weights) {
  if (rule.scale == 1) return;
  for (const int j : right)
    if (j < std::ssize(weights)) weights[static_cast<std::size_t>(j)] *= static_cast<T>(rule.scale);
}

// Each weight is multiplied by a number, and so is its gradient.
template <class T>
void change_weights_backward(const AttentionRule& rule, std::span<const int> right, std::span<T> d_weights) {
  change_weights(rule, right, d_weights);
}

template void change_weights(const AttentionRule&, std::span<const int>, std::span<float>);
template void change_weights(const AttentionRule&, std::span<const int>, std::span<double>);
template void change_weights_backward(const AttentionRule&, std::span<const int>, std::span<float>);
template void change_weights_backward(const AttentionRule&, std::span<const int>, std::span<double>);

AttentionRule AttentionRules::of(int layer, int head) const {
  AttentionRule joined;
  joined.layer = layer;
  joined.head = head;
  joined.pass = *this;
  for (const ScopedRule& one : all) {
    if (!one.concerns(layer, head)) continue;
    const RequestedRule& rule = one.rule;
    if (rule.pattern != Pattern::learned) joined.pattern = rule.pattern;
    joined.scale *= rule.scale;
    joined.ablated = joined.ablated || rule.ablated;
    joined.copy += rule.copy;
    joined.factor *= rule.factor;
    if (rule.shift) joined.shift = rule.shift;
  }
  return joined;
}

}  // namespace fovea
