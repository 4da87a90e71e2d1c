// What is done from outside to one head of self-attention in a pass, and the places that a right answer needs.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/math/view.h"

namespace fovea {

// Where a head's weights come from, of all of its rows, in one pass.
struct HeadRule {
  enum class Pattern {
    learned,   // its own scores
    uniform,   // 1 / (i + 1)
    previous,  // all on the place before; of the first, on itself
    first,     // all on the first place
    truth,     // evenly on the right places of i; rows without any follow their scores
  } pattern = Pattern::learned;
  double scale = 1;      // of weights on right places
  bool ablated = false;  // the head gives nothing
  double copy = 0;       // of a last layer: how strongly it says the tokens that it attends to, beside what it learned

  bool operator==(const HeadRule&) const = default;
};

// The places that a right answer needs, row by row: (B T, width), -1 behind the last.
struct RightPlaces {
  std::span<const int> places;
  Index width = 0;

  std::span<const int> of(Index row) const {
    if (places.empty()) return {};
    const auto all = places.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
    std::size_t count = 0;
    while (count < all.size() && all[count] >= 0) ++count;
    return all.first(count);
  }
};

}  // namespace fovea
