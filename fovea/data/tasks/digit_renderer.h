// Draws digits, for machines without MNIST: strokes with random shift, scale, slant, thickness and noise (room
// data/tasks). The tasks of digit images (data/tasks/files) call it. Writes the given pixels alone.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/base/random.h"

namespace fovea {

constexpr int digit_side = 28;
constexpr int digit_pixels = digit_side * digit_side;

// Draws `digit` (0 to 9), bright on dark, antialiased. `pixels` holds digit_pixels, row by row. No memory is asked for.
void draw_digit(int digit, RandomStream& stream, std::span<std::uint8_t> pixels);

}  // namespace fovea
