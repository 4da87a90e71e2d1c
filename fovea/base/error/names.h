// Finds the known name nearest to a mistyped one, and makes a Remedy of it (room base/error). All rooms that look
// names up call it, from base/registry.h to the commands. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/error/message.h"

namespace fovea {

// The candidate nearest to `word` by edit distance, or "" when none is near (more than a third of the letters differ).
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

// All candidates that are as near as the nearest.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> candidates);

// A remedy for an unknown name: "did you mean 'steps'?", or "known are: rate, steps" when nothing is near.
Remedy suggest_name(std::string_view word, std::span<const std::string> candidates);

// The same, but `otherwise` when nothing is near.
Remedy suggest_name(std::string_view word, std::span<const std::string> candidates, Remedy otherwise);

// The same with a code of its own, whose arguments are the nearest name, or "", and then all that are known.
Remedy suggest_name(Remedy::Code code, std::string_view word, std::span<const std::string> candidates);

}  // namespace fovea
