#include "fovea/lab/experiment/preset.h"

namespace fovea {

std::string word_of(Preset preset) { return preset == Preset::quick ? "quick" : "full"; }

std::optional<Preset> preset_of(std::string_view word) {
  for (const Preset preset : {Preset::quick, Preset::full})
    if (word == word_of(preset)) return preset;
  return std::nullopt;
}

}  // namespace fovea
