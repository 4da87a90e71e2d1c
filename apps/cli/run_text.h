// Prints runs in a terminal (folder apps/cli). `fovea run`, `runs`, `show`, `sweep` and `watch` call it. Writes to
// stdout only.
#pragma once

#include <string>
#include <vector>

#include "fovea/lab/record/record.h"

namespace fovea::cli {

void print_run(const RunRecord& run);  // one run: its metrics, each with its course as a sparkline

// A line a run; `wanted` says what to show of each, or the most telling metrics are taken (view/terminal/runs_table.h).
void print_runs(const std::vector<RunRecord>& runs, const std::vector<std::string>& wanted);

}  // namespace fovea::cli
