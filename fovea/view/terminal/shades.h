// Shades words by their attention, β and influence, side by side (room view/terminal). `fovea inspect` and the report
// call it. For translations it makes matrices of target words by source words.
//
// Each row is shaded by itself: full at its largest value. Blue indicates the right answer, red another one. Without
// colour, a block after the word shows the size, and a minus before the block shows that it indicates another answer.
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
