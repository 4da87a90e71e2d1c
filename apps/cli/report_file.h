// The report as the store has it: every experiment whose runs are there, in the form it was last reproduced in.
#pragma once

#include <string>

#include "fovea/lab/reproduce.h"

namespace fovea::cli {

// Writes the page and returns how many experiments it shows.
std::size_t write_report(const Store& store, const std::string& file);

// Writes every figure of the page as FOLDER/EXPERIMENT-N.ENDING (svg, pdf or png); returns how many.
std::size_t write_figures(const Store& store, const std::string& folder, const std::string& ending);

}  // namespace fovea::cli
