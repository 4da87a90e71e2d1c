// The order, seeds and settings of reproductions, as texts (room view/report). report.cpp and story.cpp of this room
// call it. Pure functions.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/analysis/reproduce.h"

namespace fovea {

// In the order of the tour; a system's experiments stay together, where its first one stands.
std::vector<const Reproduction*> in_order_of_the_tour(std::span<const Reproduction> reproductions);

// "0–19" rather than twenty numbers.
std::string seeds_text(const std::vector<RunRecord>& runs);

// Every setting of the runs, and each value that occurs; of more than 24 the first ones and "…".
std::map<std::string, std::vector<std::string>> settings_of(const std::vector<RunRecord>& runs);

std::size_t as_stated(const Reproduction& reproduction);  // claims that came out as their file expects

}  // namespace fovea
