// Writes the screen of `fovea watch`, which shows runs in training (room view/terminal). apps/cli/watch.cpp calls it.
// Pure function.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/lab/store/live_runs.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// At most `height` lines (0: no limit). Each run has a line, its loss and its accuracy, or what tells most of it, as
// sparklines; the attention of one example is shown of the first that has any.
std::vector<std::string> watch_lines(std::span<const LiveRun> runs, int height, const Terminal& terminal);

}  // namespace fovea
