// Names of the metrics that the probe `audit` reports only at later evaluations, and only if there is something to
// report (room probe). audit.cpp of this room and lab/analysis/check_names.cpp read them.
#pragma once

#include <array>

namespace fovea::audit_names {

inline constexpr const char* free = "audit_free_logit_cosine";
inline constexpr const char* free_overall = "audit_free_logit_cosine_mean";
inline constexpr const char* overlap = "audit_attention_rise_at_half_knowledge";
inline constexpr const char* leaves_uniform = "audit_first_step_not_uniform";
inline constexpr std::array later{free, free_overall, overlap, leaves_uniform};

}  // namespace fovea::audit_names
