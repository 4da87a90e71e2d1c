// One JSON document on stdout, nothing else there.
#pragma once

#include "fovea/lab/record/record_json.h"

namespace fovea::cli {

void print_json(const Json& json);

}  // namespace fovea::cli
