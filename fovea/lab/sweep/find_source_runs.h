// Finds the runs that a spec takes weights from in the store (room lab/sweep). sweep.cpp of this room calls it. It
// replaces numbers by hashes in the ResolvedRun; it only reads the store.
#pragma once

#include "fovea/lab/spec/resolved_run.h"
#include "fovea/lab/store/store.h"

namespace fovea {

// Has the interventions of a run name source runs by their hash where they are named by their number. Throws
// wrong_input where the store has no such run, or not its weights.
void find_source_runs(ResolvedRun& resolved, const Store& store);

}  // namespace fovea
