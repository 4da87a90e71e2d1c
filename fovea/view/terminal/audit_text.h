// Writes the audit of a run for people: five assumptions, each a score and a sentence (room view/terminal). `fovea
// audit` and the Python package print it. Reads the run's series.
#pragma once

#include <string>
#include <vector>

#include "fovea/lab/record/record.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

struct AuditLine {
  std::string name;      // "local", "free", "separate", "uniform", "mean"
  std::string assumes;   // "hidden states reflect local words"
  double value = 0;      // 1: holds in full; NaN: could not be measured
  std::string sentence;  // what was found, with its figures
};

// From the series that the probe `audit` left. The run must have them.
std::vector<AuditLine> audit_lines(const RunRecord& run);
bool has_audit(const RunRecord& run);

std::string audit_text(const RunRecord& run, const Terminal& terminal);

}  // namespace fovea
