// Writes a comparison of runs as text (room view/terminal). `fovea compare` and the Python package print it. Pure
// functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/lab/analysis/compare.h"
#include "fovea/view/plot/figure.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

struct ComparedGroup {
  std::string label;  // as it was asked for: "run 3", "task.vocab = 40"
  std::vector<RunRecord> runs;
  std::int64_t more = 0;  // runs of it that are too many to be read whole
};

// At most eight metrics that both have, the most informative first. The loss is one of them if both have it.
std::vector<std::string> metrics_to_compare(const ComparedGroup& a, const ComparedGroup& b);

// Who is compared, the settings that differ, and a line for each metric, with what its test is.
std::string comparison_text(const ComparedGroup& a, const ComparedGroup& b, const Comparison& comparison,
                            const Terminal& terminal);

// The median course of a metric (or an expression over them) in both groups; "" where it has no course. Only runs with
// a partner count, as in the table. `comparison` is of these groups.
std::string comparison_chart(const ComparedGroup& a, const ComparedGroup& b, const Comparison& comparison,
                             const std::string& metric, const Terminal& terminal);

// The same as a figure, with a thin line for each run. Throws wrong_input if no run has a partner.
Figure comparison_figure(const ComparedGroup& a, const ComparedGroup& b, const Comparison& comparison,
                         const std::vector<std::string>& metrics);

}  // namespace fovea
