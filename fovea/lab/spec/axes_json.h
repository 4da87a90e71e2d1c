// Writes the axes of a run's attention maps as JSON (room lab/spec). The server and the page use it to draw maps.
// It asks the registered kind of model. It builds no model or task, and reads no file.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/lab/record/run_spec.h"

namespace fovea {

// Adds "axes" to `json`: what the rows and columns of its maps stand for. Adds nothing for a model that this program
// does not have.
void add_axes(const RunSpec& spec, Json& json);

}  // namespace fovea
