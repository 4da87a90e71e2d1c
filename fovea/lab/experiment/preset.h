// Preset: the two forms of an experiment, quick (to see its idea) and full (to publish) (room lab/experiment).
// Experiments, claims, commands and the server pass it on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

enum class Preset { quick, full };

std::string word_of(Preset preset);  // as people write it, and the store keeps it
std::optional<Preset> preset_of(std::string_view word);

}  // namespace fovea
