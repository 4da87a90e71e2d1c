// Checks, before training, that the claims and figures of a file read metrics that its runs will have (room
// lab/analysis). reproduce.cpp of this room calls it. It trains runs of no step, and stores nothing.
#pragma once

#include <vector>

#include "fovea/lab/experiment/experiment.h"

namespace fovea {

// Trains runs of no step, one for each way in which these runs set the model. Throws wrong_input with the location
// for a name that none of them has.
void refuse_misspelt_names(const Experiment& experiment, Preset preset, const std::vector<ResolvedRun*>& runs);

}  // namespace fovea
