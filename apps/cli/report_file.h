// The report and its figures as files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/lab/reproduce.h"

namespace fovea::cli {

// What the store knows of every experiment that was reproduced as it stands, in the form it was last reproduced in.
std::vector<Reproduction> reproduced_before(const Store& store);

// The page of these experiments; their runs' arrays come from the store.
void write_report(const Store& store, std::span<const Reproduction> reproductions, const std::string& file);

// Throws wrong_input where a figure of the experiment is declared wrongly, before anything is trained for it.
void check_figures(const Experiment& experiment);

// Writes every figure of the page as FOLDER/EXPERIMENT-N.ENDING (svg, pdf or png); returns how many.
std::size_t write_figures(const Store& store, std::span<const Reproduction> reproductions, const std::string& folder,
                          const std::string& ending);

}  // namespace fovea::cli
