// A prediction of a task of token streams as JSON: the heights of its ladder, all lags, the induction flow's times.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/theory/streams/stream_prediction.h"

namespace fovea {

Json stream_prediction_json(const StreamPrediction& prediction);

}  // namespace fovea
