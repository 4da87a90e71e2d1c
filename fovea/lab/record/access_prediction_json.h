// Writes a prediction of a task of memory accesses as JSON (room lab/record). `fovea predict --json` prints it. Pure
// function.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/theory/streams/access_prediction.h"

namespace fovea {

Json access_prediction_json(const AccessPrediction& prediction);

}  // namespace fovea
