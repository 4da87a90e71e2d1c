// Writes the numbers that a figure shows as JSON (room view/plot). The story (view/report/story.cpp) adds them, and
// the page makes a table of them (web/src/figure.tsx). Pure function.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/view/plot/figure.h"

namespace fovea {

// A part for each mark with a name, each picture with a weight: {"panel", "line", "columns": {name: [values]}}, where a
// map of cells has "rows" too, and its values row by row. To seven digits; null where a number is not finite.
Json figure_numbers(const Figure& figure);

}  // namespace fovea
