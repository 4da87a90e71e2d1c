// Words shaded by what attention, β and influence say of them, beside each other; for translations matrices of target
// words by source words.
//
// Shades are of each row by itself: full where it is largest. Blue speaks for the right answer, red against it; where
// there is no colour a block behind the word says how much, and a minus before it that it speaks against.
#pragma once

#include <string>

#include "fovea/lab/analysis/example_view.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

std::string shades_text(const ExampleView& seen, const Terminal& terminal);
std::string shades_html(const ExampleView& seen);

// How strongly each position is shaded, -1 to 1: values over the largest of their sizes; of log-probabilities the
// probabilities.
std::vector<double> shades_of(const std::vector<double>& row, bool log_probability);

}  // namespace fovea
