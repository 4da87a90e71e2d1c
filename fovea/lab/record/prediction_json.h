// Writes a prediction as JSON: its verdict with its figures, the words that attention will reach, the course of the
// two stages (room lab/record). `fovea predict --json`, the page and the Python package use it. Pure function.
#pragma once

#include "fovea/data/bag_source.h"
#include "fovea/lab/record/json.h"
#include "fovea/theory/prediction/prediction.h"

namespace fovea {

Json prediction_json(const Prediction& prediction, const BagSource& source);

}  // namespace fovea
