// Adds the audit of its assumptions to a run (docs/reference/audit.md), and compares the retrained run with the
// old one (room lab/analysis). `fovea audit` and the Python package call it. Pure functions.
#pragma once

#include <string>

#include "fovea/lab/record/record.h"
#include "fovea/lab/spec/resolved_run.h"

namespace fovea {

// The same run with the probe `audit` among its probes. Training does not depend on what is measured. Throws
// wrong_input where the audit has nothing to measure.
ResolvedRun with_audit(const RunSpec& spec);

// Where the numbers of `again` differ from those of `run` at a step that both have, as words; empty where none does.
std::string first_difference(const RunRecord& run, const RunRecord& again);

}  // namespace fovea
