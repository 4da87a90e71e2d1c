// One JSON document on stdout, nothing else there.
#pragma once

#include "fovea/lab/json.h"
#include "fovea/lab/record.h"

namespace fovea::cli {

Json run_json(const RunRecord& run, bool with_series);
Json claim_json(const ClaimResult& claim);
void print_json(const Json& json);

}  // namespace fovea::cli
