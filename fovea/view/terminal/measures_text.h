// Measures across runs as a person reads them.
#pragma once

#include <string>

#include "fovea/lab/analysis/measurement.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

std::string measures_text(const Measures& measures, const Terminal& terminal);
std::string measures_html(const Measures& measures);  // a table for the report

}  // namespace fovea
