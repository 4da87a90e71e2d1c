// How far hidden states tell of the word they stand on, and of its neighbours (docs/method.md, 4).
#pragma once

#include <optional>

#include "fovea/data/batch.h"

namespace fovea {

struct Locality {
  // Share of the states' variance that the word alone explains, corrected for the number of words (ε²); 1: a state is a
  // function of its word. None where the states do not vary, or where no word is seen twice.
  std::optional<double> word_share;

  // Share of held-out positions at which a linear decoder (ridge) reads from h_s the word s, s ± 1, s ± 2 rightly, and
  // what the most frequent word would score. None where there are too few examples.
  std::optional<double> here, next, second;
  double chance = 0;
};

// states (B, positions, H) of the source. At most `most` positions are used. Even examples train the decoder, odd ones
// are held out.
Locality measure_locality(Cube<const float> states, const Tokens& source, Index most = 1200);

}  // namespace fovea
