// The results of the last run of each full form: docs/results/, built into the library (room lab/analysis).
// findings.cpp of this room and the report read them. Read-only.
#pragma once

#include <string>
#include <vector>

#include "fovea/lab/record/record.h"

namespace fovea {

// The claims of one kept result that are not supported.
struct KeptFailure {
  std::string experiment;
  std::string corpus;               // empty: the experiment has none
  std::string says;                 // what came out, and what is known of the reason
  std::vector<ClaimResult> claims;  // of the full form, not supported
};

// All of them, in the order of the tour.
std::vector<KeptFailure> kept_failures();

// What the full form of a shipped experiment came to, without its corpora; empty if none is kept.
std::vector<ClaimResult> kept_claims(const std::string& experiment);

}  // namespace fovea
