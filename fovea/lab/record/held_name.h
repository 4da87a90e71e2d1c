// Names of metrics that are measured while attention is held: the metric's name with "_held" (room lab/record). The
// record also has the metric without the hold, under its own name. The trainer writes both; the store, tables and
// Python's probes tell them apart by this file.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

inline constexpr std::string_view held_suffix = "_held";

// "accuracy_held"
inline std::string held_name(std::string_view name) { return std::string(name).append(held_suffix); }
inline bool is_held_name(std::string_view name) { return name.ends_with(held_suffix); }

}  // namespace fovea
