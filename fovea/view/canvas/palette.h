// Colours, dashes and markers of categories (room view/canvas). Figures (view/plot/figure.h) use them. People with
// any colour vision can distinguish the colours. Dashes and markers differ too.
#pragma once

#include <cstddef>

#include "fovea/view/canvas/canvas.h"

namespace fovea {

enum class Marker { circle, square, diamond, triangle, cross, none };

// Categories: the colours of Okabe and Ito in an order that puts the most different first (yellow, too faint on white,
// is left out and black is the page's ink). They repeat after seven, dash and marker with other periods.
Color category_color(std::size_t index);
std::vector<double> category_dash(std::size_t index);
Marker category_marker(std::size_t index);

// A scale of values in [0, 1]. Both are our own: even steps of lightness in the OKLab space, so that equal differences
// look equal and greyscale print keeps the order. `sequential` turns from dark violet through blue and green to pale
// yellow; `diverging` from blue over a near white at 0.5 to orange.
enum class ColorScale { sequential, diverging };
Color scale_color(ColorScale scale, double t);

}  // namespace fovea
