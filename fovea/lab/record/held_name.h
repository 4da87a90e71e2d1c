// What is measured while attention is held stands in a record twice: of the model as it attends by itself, under the
// metric's own name, and under the hold, under this one.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

inline constexpr std::string_view held_suffix = "_held";

// "accuracy_held"
inline std::string held_name(std::string_view name) { return std::string(name).append(held_suffix); }
inline bool is_held_name(std::string_view name) { return name.ends_with(held_suffix); }

}  // namespace fovea
