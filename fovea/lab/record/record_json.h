// Writes runs and claims as JSON (room lab/record). `--json`, the server, the page and the story (view/report) use
// it. Pure functions.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/lab/record/record.h"

namespace fovea {

Json run_json(const RunRecord& run, bool with_series);
Json claim_json(const ClaimResult& claim);

}  // namespace fovea
