// The words of labelled texts that may indicate a class, with the evidence of each (room theory/prediction).
// prediction.cpp and prediction_words.cpp of this room read them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/theory/cooccurrence.h"
#include "fovea/theory/prediction/prediction.h"
#include "fovea/theory/sample.h"

namespace fovea {

constexpr double possible = 0.6, probable = 0.8;  // a candidate's chance; the flow counts those that are possible
constexpr double more_than_even = 1.001;          // of an even share of attention: what rounding does not make

// Standard deviations a link must lie above chance: of `tried` pairs that have nothing to do with each other, one does
// so in one data set of a thousand, by the bound e^(-z^2/2) on the tail of a normal distribution.
inline double sure(std::size_t tried) { return std::sqrt(2 * math::log(1000.0 * static_cast<double>(tried))); }

// Of each word and class, (input ids, classes) for the ids that Cooccurrence::class_counts has: how many examples of
// the class hold the word, and the sum over them of the square of how often.
struct Presence {
  std::vector<std::int64_t> examples, squares;
};

// The words of a class by how far their count in it lies above its share of all words, as for words that are drawn one
// by one, or where that is less, for examples that are: a word that one of them has again and again tells of that one.
// `times`: how many examples each that was counted in `presence` stands for.
std::vector<WordLink> words_of_class(const Cooccurrence& c, std::size_t classes, std::size_t label,
                                     const Presence& presence, double times, const std::vector<bool>& unattended);

// All candidates of each class, in their order.
Presence find_candidates(const BagSource& source, Team& team, const Cooccurrence& c, const Sample& counted,
                         Prediction& prediction);

}  // namespace fovea
