// Runs and claims as JSON, as `--json` prints them and the server answers.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/lab/record/record.h"

namespace fovea {

Json run_json(const RunRecord& run, bool with_series);
Json claim_json(const ClaimResult& claim);

}  // namespace fovea
