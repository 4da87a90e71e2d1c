// Writes a comparison as JSON (room lab/analysis). `fovea compare --json`, which adds the compared runs, and the
// Python package use it. Pure function.
#pragma once

#include "fovea/lab/analysis/compare.h"
#include "fovea/lab/record/json.h"

namespace fovea {

Json comparison_json(const Comparison& comparison);

}  // namespace fovea
