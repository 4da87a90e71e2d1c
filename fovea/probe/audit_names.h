// What the probe `audit` says at later looks alone, and only where there is something to say.
#pragma once

#include <array>

namespace fovea::audit_names {

inline constexpr const char* free = "audit_free_logit_cosine";
inline constexpr const char* free_overall = "audit_free_logit_cosine_mean";
inline constexpr const char* overlap = "audit_attention_rise_at_half_knowledge";
inline constexpr const char* leaves_uniform = "audit_first_step_not_uniform";
inline constexpr std::array later{free, free_overall, overlap, leaves_uniform};

}  // namespace fovea::audit_names
