// Draws curves over each other in characters (room view/terminal). compare_text.cpp of this room calls it. Pure
// function.
#pragma once

#include <span>
#include <string>

#include "fovea/lab/record/record.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

struct ChartLine {
  std::string mark;  // one column wide
  Series series;     // points that are not finite break the line
};

// A box of `height` rows with its values at the left and its steps below. Where lines meet there is a ×. No more than
// the terminal is wide; "" where there is nothing to draw.
std::string line_chart(std::span<const ChartLine> lines, int height, const Terminal& terminal);

}  // namespace fovea
