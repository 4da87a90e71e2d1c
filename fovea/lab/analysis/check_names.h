// Whether the claims and figures of a file read what its runs will have, found out before they are trained.
#pragma once

#include <vector>

#include "fovea/lab/experiment/experiment.h"

namespace fovea {

// Trains runs of no step, one for each way in which these runs set the model. Throws wrong_input with the location for a
// name that none of them has.
void refuse_misspelt_names(const Experiment& experiment, Preset preset, const std::vector<ResolvedRun*>& runs);

}  // namespace fovea
