// What the places of streams are before any layer has read another: alike where the token is, and where positions are
// learned the place in its stream as well. Many streams of few tokens have few that differ, and what is made of a place
// alone (the first layer's norm, queries, keys and values) is made of each of those once.
#pragma once

#include <algorithm>

#include "fovea/data/batch.h"
#include "fovea/nn/embedding.h"

namespace fovea {

struct StreamPlaces {
  std::span<const int> tokens;  // (D), -1 on padding
  std::span<const int> at;      // (D) in their streams
  std::span<const int> row_of;  // (N) of each place which of these it is; empty where every place has a row of its own

  bool shared() const { return !row_of.empty(); }
};

// Of some of the places, or of all where none are named, their rows.
inline std::span<const int> rows_of(Arena& arena, const StreamPlaces& places, std::span<const int> some) {
  if (some.empty() || !places.shared()) return places.row_of;
  const auto rows = arena.take<int>(some.size());
  std::ranges::transform(some, rows.begin(), [&](int place) { return places.row_of[static_cast<std::size_t>(place)]; });
  return rows;
}

// `by_place`: whether places of the same token differ. Shared where there can be no more than half as many that differ
// as there are places.
inline StreamPlaces stream_places(Arena& arena, const Tokens& source, Index vocabulary, bool by_place) {
  const auto columns = static_cast<Index>(source.columns), N = static_cast<Index>(source.ids.size());
  const Index tokens = vocabulary + 1;  // and padding
  const bool shared = 2 * tokens * (by_place ? columns : 1) <= N;
  const auto at = arena.take<int>(source.ids.size());
  for (std::size_t n = 0; n < at.size(); ++n) at[n] = static_cast<int>(n % static_cast<std::size_t>(columns));
  if (!shared) return {source.ids, at, {}};

  const auto kinds = arena.take<int>(source.ids.size());
  for (std::size_t n = 0; n < kinds.size(); ++n) {
    const Index token = source.ids[n] < 0 ? vocabulary : source.ids[n];
    kinds[n] = static_cast<int>(by_place ? at[n] * tokens + token : token);
  }
  const DistinctTokens distinct = distinct_tokens(arena, kinds, tokens * (by_place ? columns : 1));
  const auto token_of = arena.take<int>(distinct.ids.size()), place_of = arena.take<int>(distinct.ids.size());
  for (std::size_t d = 0; d < distinct.ids.size(); ++d) {
    const Index token = distinct.ids[d] % tokens;
    token_of[d] = token == vocabulary ? -1 : static_cast<int>(token);
    place_of[d] = static_cast<int>(distinct.ids[d] / tokens);
  }
  return {token_of, place_of, distinct.index};
}

}  // namespace fovea
