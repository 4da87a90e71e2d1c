// Measures as JSON, as `fovea measure --json` prints them.
#pragma once

#include "fovea/lab/analysis/measurement.h"
#include "fovea/lab/record/json.h"

namespace fovea {

Json measures_json(const Measures& measures);

}  // namespace fovea
