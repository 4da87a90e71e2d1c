// png_of(): an image as the bytes of a PNG file (room view/canvas). SvgCanvas puts them into its text. Pure function.
#pragma once

#include <string>

#include "fovea/view/canvas/canvas.h"

namespace fovea {

std::string png_of(const Image& image);  // of at least one pixel

}  // namespace fovea
