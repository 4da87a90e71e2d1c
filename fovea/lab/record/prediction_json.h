// A prediction as JSON, for programs and the page: its verdict with its figures, the words attention will come to, the
// course of the two stages.
#pragma once

#include "fovea/data/bag_source.h"
#include "fovea/lab/record/json.h"
#include "fovea/theory/prediction/prediction.h"

namespace fovea {

Json prediction_json(const Prediction& prediction, const BagSource& source);

}  // namespace fovea
