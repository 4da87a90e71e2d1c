// The values of each run that the claims of an experiment read, as JSON (room lab/analysis). A reader can compute the
// claims again from them, without the runs. `fovea reproduce --json` prints them.
#pragma once

#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/record/json.h"

namespace fovea {

// "settings" has a column for the seed and for each setting that differs between runs. "numbers" has a column for each
// quantity that claims read of one run (Expression::quantities), unless it is such a setting. Entry i of a column is of
// run i of the reproduction. An infinite number is the text "infinity" or "-infinity". What a run lacks is null.
Json run_values_json(const Reproduction& reproduction);

}  // namespace fovea
