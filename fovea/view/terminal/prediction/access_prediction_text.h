// Writes the prediction of a task of memory accesses as text (room view/terminal/prediction). `fovea predict` and the
// Python package print it. Pure function.
#pragma once

#include "fovea/theory/streams/access_prediction.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

std::string access_prediction_text(const AccessPrediction& prediction, const Terminal& terminal);

}  // namespace fovea
