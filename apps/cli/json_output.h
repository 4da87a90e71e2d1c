// Prints one JSON document on stdout, and nothing else there (folder apps/cli). Every command with --json calls it.
#pragma once

#include "fovea/lab/record/record_json.h"

namespace fovea::cli {

void print_json(const Json& json);

}  // namespace fovea::cli
