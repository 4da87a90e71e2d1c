// Writes a prediction of a task of token streams as JSON: its predicted plateaus, all lags, the induction flow's
// times (room lab/record). `fovea predict --json` prints it. Pure function.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/theory/streams/stream_prediction.h"

namespace fovea {

Json stream_prediction_json(const StreamPrediction& prediction);

}  // namespace fovea
