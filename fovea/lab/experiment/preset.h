// The two forms of an experiment: quick, to see what it is about, and full, to publish.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

enum class Preset { quick, full };

std::string word_of(Preset preset);  // as people write it, and the store keeps it
std::optional<Preset> preset_of(std::string_view word);

}  // namespace fovea
