// Writes comparisons and measures as JSON (room lab/analysis). `fovea compare --json`, `fovea measure --json`,
// `fovea reproduce --json` and the Python package use it. Pure functions.
#pragma once

#include "fovea/lab/analysis/compare.h"
#include "fovea/lab/analysis/measurement.h"
#include "fovea/lab/record/json.h"

namespace fovea {

Json comparison_json(const Comparison& comparison);
Json measures_json(const Measures& measures);

}  // namespace fovea
