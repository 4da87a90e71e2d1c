// GlimpsePath: the path of the glimpses over an image (room view/plot). The figure kind "glimpses" and
// view/terminal/attention_text.cpp draw it. It is read from the map "attention" of models whose rows are glimpses and
// whose columns are pixels, and from the images stored with it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fovea/lab/record/record.h"
#include "fovea/view/canvas/canvas.h"

namespace fovea {

struct GlimpsePath {
  Index side = 0;                // pixels along a side of the image
  std::span<const float> image;  // (side * side), row by row; a part of the record
  std::vector<Point> middles;  // of what each glimpse covers: in (column, row), whole numbers in the middles of pixels
};

// maps (examples, glimpses, pixels), images (examples, 1, pixels); nullopt where they are not such, or lack the
// example.
std::optional<GlimpsePath> glimpse_path(const ArrayRecord& map, const ArrayRecord& images, Index example);

}  // namespace fovea
