// Finds one value of a series (room lab/record). Expressions, audits, measures and figures call it. Pure function.
#pragma once

#include <cstdint>

#include "fovea/lab/record/record.h"

namespace fovea {

// The value that was recorded at `step`; none where nothing was.
const double* value_at(const Series& series, std::int64_t step);

}  // namespace fovea
