// Writes the prediction of a task of token streams as text (room view/terminal/prediction). `fovea predict` prints
// it. Pure function.
#pragma once

#include <string>

#include "fovea/theory/streams/stream_prediction.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// Whether a single earlier token tells anything, the ladder with its heights, the five lags that tell most, the times
// of the induction flow.
std::string stream_prediction_text(const StreamPrediction& prediction, const Terminal& terminal);

}  // namespace fovea
