// How well hidden states predict their own word and its neighbours, and how well a text's mean state follows from the
// mean of its words' embeddings (docs/reference/audit.md) (room probe). The probe `audit` alone calls it.
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

// The mean of a text's states by a linear map (ridge) of the mean of its words' embeddings: share of the variance over
// held-out texts that the map explains, and the same where each text of the training half was given the mean of
// another. 1: what uniform attention reads is a bag of words. None where the means do not vary, or there are too few
// texts.
struct MeanState {
  std::optional<double> told, shuffled;
};

// states (B, positions, H), embeddings (V,E). Even examples train the map, odd ones are held out.
MeanState measure_mean_state(Cube<const float> states, const Tokens& source, Matrix<const float> embeddings);

}  // namespace fovea
