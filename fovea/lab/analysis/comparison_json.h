// A comparison as JSON, as `fovea compare --json` prints it beside who was compared.
#pragma once

#include "fovea/lab/analysis/compare.h"
#include "fovea/lab/record/json.h"

namespace fovea {

Json comparison_json(const Comparison& comparison);

}  // namespace fovea
