// Writes measures as JSON (room lab/analysis). `fovea measure --json`, `fovea reproduce --json` and the Python
// package use it. Pure function.
#pragma once

#include "fovea/lab/analysis/measurement.h"
#include "fovea/lab/record/json.h"

namespace fovea {

Json measures_json(const Measures& measures);

}  // namespace fovea
