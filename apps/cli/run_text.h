// Runs as a person reads them in a terminal.
#pragma once

#include <string>
#include <vector>

#include "fovea/lab/record.h"

namespace fovea::cli {

void print_run(const RunRecord& run);  // one run: its metrics, each with its course as a sparkline

// A line a run; `metrics` names the columns, or the commonest ones are taken.
void print_runs(const std::vector<RunRecord>& runs, const std::vector<std::string>& metrics);

std::string number_text(double x);  // 4 significant digits

}  // namespace fovea::cli
