// Writes measures across runs as text and as an HTML table (room view/terminal). `fovea measure`, `fovea reproduce`,
// the report and the Python package show it. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "fovea/lab/analysis/measurement.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// What was found, in a sentence for each of the questions that are asked first: how far others rank the words as
// attention does.
std::vector<std::string> measures_verdict(const Measures& measures);

// The verdict, and under it the table.
std::string measures_text(const Measures& measures, const Terminal& terminal);
std::string measures_html(const Measures& measures);  // a table for the report

}  // namespace fovea
