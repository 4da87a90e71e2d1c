// What the probe `audit` says at later looks alone, and only where there is something to say.
#pragma once

#include <array>

namespace fovea::audit_names {

inline constexpr const char* free = "audit_free";
inline constexpr const char* free_overall = "audit_free_overall";
inline constexpr const char* overlap = "audit_overlap";
inline constexpr const char* leaves_uniform = "audit_leaves_uniform";
inline constexpr std::array later{free, free_overall, overlap, leaves_uniform};

}  // namespace fovea::audit_names
