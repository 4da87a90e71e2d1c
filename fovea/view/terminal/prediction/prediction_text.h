// Writes a prediction of attention as text (room view/terminal/prediction). `fovea predict` and the Python package
// print it. Pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/data/bag_source.h"
#include "fovea/theory/prediction/prediction.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// Verdict with its figures, the words attention will come to, the course of the two stages.
std::string prediction_text(const Prediction& prediction, const BagSource& source, const Terminal& terminal);

// Words, shaded by their weight: by colour where there is some, else by a block ▁ … █ behind each.
std::string shaded_words(std::span<const std::string> words, std::span<const double> weights, const Terminal& terminal);

}  // namespace fovea
