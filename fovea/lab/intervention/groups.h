// Groups of parameters, by their words in specs (room lab/intervention). freeze.cpp, rate.cpp and transplant.cpp of
// this room call it. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "fovea/lab/intervention/capabilities.h"
#include "fovea/nn/parameters.h"

namespace fovea {

extern const Fields::Choices<Group> group_words;

// Nothing where the word names no group.
std::optional<Group> group_of(const std::string& word);

// Throws wrong_input where a change of this group would change nothing.
void check_group(Group group, const Capabilities& capabilities, const Location& location);

}  // namespace fovea
