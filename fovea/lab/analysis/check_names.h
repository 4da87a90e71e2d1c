// Whether the claims and figures of a file read what its runs will have, found out before they are trained.
#pragma once

#include <span>

#include "fovea/lab/experiment/experiment.h"

namespace fovea {

// Looks at untrained runs, one for each way that the specs set the model, and throws wrong_input, with the place, for a
// name that none of them has.
void refuse_misspelt_names(const Experiment& experiment, Preset preset, std::span<const RunSpec> specs);

}  // namespace fovea
