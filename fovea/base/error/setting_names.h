// Finds the setting nearest to a mistyped one (room base/error). Experiments and the store call it. A pure function.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fovea {

// Like nearest_name(), with an exception. In a section that candidates have ("model." of "model.attention"), it
// compares only the part after the dot, and only with names of this section.
std::string nearest_setting(std::string_view word, std::span<const std::string> candidates);

}  // namespace fovea
