// Groups of parameters, by the words that specs have for them.
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
