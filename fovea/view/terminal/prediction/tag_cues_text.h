// The words that go with each tag, as a table (room view/terminal/prediction).
#pragma once

#include <string>
#include <vector>

#include "fovea/theory/prediction/tag_cues.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

std::string tag_cues_text(const std::vector<TagCue>& cues, const Terminal& terminal);

}  // namespace fovea
