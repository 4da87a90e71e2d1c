// Measures as JSON, as `fovea measure --json` prints them.
#pragma once

#include "fovea/lab/json.h"
#include "fovea/lab/measured.h"

namespace fovea {

Json measures_json(const Measures& measures);

}  // namespace fovea
