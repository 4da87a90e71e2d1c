// What is predicted of a training on memory accesses.
#pragma once

#include "fovea/theory/streams/access_prediction.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

std::string access_prediction_text(const AccessPrediction& prediction, const Terminal& terminal);

}  // namespace fovea
