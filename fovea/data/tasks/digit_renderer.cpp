#include "fovea/data/tasks/digit_renderer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

struct Point {
  double x = 0, y = 0;
};

// A line through a few points of the unit square (y downwards): straight from each to the next, or a smooth curve.
struct Stroke {
  bool smooth = false;
  int count = 0;
  std::array<Point, 9> points{};
};

struct Glyph {
  int strokes = 0;
  std::array<Stroke, 2> stroke{};
};

constexpr Stroke straight(int count, std::array<Point, 9> points) { return {false, count, points}; }
constexpr Stroke smooth(int count, std::array<Point, 9> points) { return {true, count, points}; }

// Each digit in the ways it is commonly written; a drawing picks one.
constexpr std::array<std::array<Glyph, 2>, 10> glyphs = {{
    {{{1,
       {smooth(8, {{{.50, .03}, {.22, .2}, {.14, .58}, {.40, .97}, {.74, .84}, {.86, .42}, {.72, .1}, {.50, .03}}})}},
      {1,
       {smooth(8, {{{.62, .05}, {.35, .1}, {.20, .5}, {.36, .93}, {.60, .92}, {.80, .5}, {.75, .15}, {.55, .04}}})}}}},
    {{{1, {straight(2, {{{.52, .02}, {.50, .98}}})}}, {1, {straight(3, {{{.32, .24}, {.55, .03}, {.54, .98}}})}}}},
    {{{2,
       {smooth(5, {{{.20, .26}, {.46, .03}, {.78, .24}, {.58, .6}, {.16, .95}}}),
        straight(2, {{{.16, .95}, {.86, .93}}})}},
      {1,
       {smooth(8,
               {{{.20, .2}, {.52, .03}, {.76, .25}, {.50, .66}, {.22, .92}, {.20, .75}, {.45, .82}, {.88, .93}}})}}}},
    {{{2,
       {smooth(4, {{{.20, .12}, {.52, .03}, {.76, .24}, {.42, .47}}}),
        smooth(5, {{{.42, .47}, {.78, .58}, {.80, .82}, {.50, .97}, {.16, .86}}})}},
      {2,
       {straight(3, {{{.20, .05}, {.78, .05}, {.44, .42}}}),
        smooth(5, {{{.44, .42}, {.76, .5}, {.80, .8}, {.50, .97}, {.16, .88}}})}}}},
    {{{2, {straight(3, {{{.56, .02}, {.16, .64}, {.88, .62}}}), straight(2, {{{.66, .36}, {.64, .98}}})}},
      {2, {straight(3, {{{.26, .04}, {.20, .5}, {.80, .48}}}), straight(2, {{{.78, .04}, {.70, .98}}})}}}},
    {{{2,
       {straight(3, {{{.80, .05}, {.30, .06}, {.25, .44}}}),
        smooth(5, {{{.25, .44}, {.58, .38}, {.82, .64}, {.60, .94}, {.18, .9}}})}},
      {2,
       {straight(3, {{{.84, .03}, {.36, .08}, {.28, .48}}}),
        smooth(5, {{{.28, .48}, {.62, .46}, {.74, .7}, {.52, .95}, {.16, .92}}})}}}},
    {{{1,
       {smooth(8, {{{.70, .04}, {.36, .24}, {.18, .66}, {.42, .97}, {.76, .82}, {.70, .58}, {.44, .54}, {.20, .74}}})}},
      {1, {smooth(8, {{{.52, .02}, {.28, .4}, {.24, .8}, {.50, .97}, {.74, .82}, {.66, .6}, {.42, .6}, {.26, .8}}})}}}},
    {{{1, {straight(3, {{{.16, .07}, {.82, .06}, {.42, .98}}})}},
      {2, {straight(3, {{{.18, .1}, {.80, .04}, {.46, .98}}}), straight(2, {{{.34, .5}, {.78, .46}}})}}}},
    {{{1,
       {smooth(9, {{{.52, .46},
                    {.24, .26},
                    {.50, .03},
                    {.76, .24},
                    {.50, .48},
                    {.22, .74},
                    {.50, .97},
                    {.78, .74},
                    {.52, .46}}})}},
      {1,
       {smooth(9, {{{.74, .14},
                    {.46, .04},
                    {.28, .24},
                    {.54, .5},
                    {.72, .78},
                    {.46, .97},
                    {.26, .78},
                    {.52, .46},
                    {.76, .14}}})}}}},
    {{{2,
       {smooth(7, {{{.76, .24}, {.52, .03}, {.24, .24}, {.34, .5}, {.60, .48}, {.76, .24}, {.77, .2}}}),
        smooth(3, {{{.77, .2}, {.74, .6}, {.56, .98}}})}},
      {2,
       {smooth(7, {{{.72, .2}, {.48, .04}, {.24, .28}, {.38, .5}, {.62, .44}, {.73, .2}, {.73, .18}}}),
        straight(2, {{{.73, .18}, {.70, .98}}})}}}},
}};

// How a drawing differs from the model: where a point of the unit square comes to lie, in pixels.
struct Hand {
  double ax, bx, cx;  // x' = ax x + bx y + cx
  double ay, by, cy;
  Point place(Point p) const { return {ax * p.x + bx * p.y + cx, ay * p.x + by * p.y + cy}; }
};

Hand draw_hand(RandomStream& stream) {
  const double width = 14.0 * stream.uniform(0.75, 1.2), height = 19.0 * stream.uniform(0.8, 1.12);
  const double slant = stream.uniform(-0.12, 0.38), turn = stream.uniform(-0.14, 0.14);
  const double cos = math::cos(turn), sin = math::sin(turn);
  // Scaled, slanted and turned about the middle of the square, then shifted.
  const double xx = width, xy = -slant * height, yy = height;
  Hand hand{};
  hand.ax = cos * xx;
  hand.bx = cos * xy - sin * yy;
  hand.ay = sin * xx;
  hand.by = sin * xy + cos * yy;
  hand.cx = digit_side / 2.0 + stream.uniform(-2.2, 2.2) - (hand.ax + hand.bx) / 2;
  hand.cy = digit_side / 2.0 + stream.uniform(-2.2, 2.2) - (hand.ay + hand.by) / 2;
  return hand;
}

using Ink = std::array<float, digit_pixels>;

// Inks the pixels near the segment: fully within half the thickness, fading over one pixel. Strokes do not add up.
void ink_segment(Point a, Point b, double thickness, Ink& ink) {
  const double reach = thickness / 2 + 0.5;
  const auto first = [](double x) { return std::clamp(static_cast<int>(std::floor(x)), 0, digit_side); };
  const int left = first(std::min(a.x, b.x) - reach), right = first(std::max(a.x, b.x) + reach + 1);
  const int top = first(std::min(a.y, b.y) - reach), bottom = first(std::max(a.y, b.y) + reach + 1);
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double scale = 1 / std::max(dx * dx + dy * dy, 1e-12);
  for (int row = top; row < bottom; ++row)
    for (int column = left; column < right; ++column) {
      const double px = column + 0.5 - a.x, py = row + 0.5 - a.y;
      const double along = std::clamp((px * dx + py * dy) * scale, 0.0, 1.0);
      const double ex = px - along * dx, ey = py - along * dy;
      const double cover = std::clamp(reach - std::sqrt(ex * ex + ey * ey), 0.0, 1.0);
      float& pixel = ink[static_cast<std::size_t>(row * digit_side + column)];
      pixel = std::max(pixel, static_cast<float>(cover));
    }
}

// A point of the Catmull-Rom curve between p1 and p2.
Point between(Point p0, Point p1, Point p2, Point p3, double t) {
  const auto blend = [t](double a, double b, double c, double d) {
    return 0.5 * (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
  };
  return {blend(p0.x, p1.x, p2.x, p3.x), blend(p0.y, p1.y, p2.y, p3.y)};
}

void ink_stroke(const Stroke& stroke, std::span<const Point> points, double thickness, Ink& ink) {
  constexpr int pieces = 6;  // of a smooth curve, from one point to the next
  const auto n = points.size();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (!stroke.smooth) {
      ink_segment(points[i], points[i + 1], thickness, ink);
      continue;
    }
    const Point before = i > 0 ? points[i - 1] : points[i], after = i + 2 < n ? points[i + 2] : points[i + 1];
    Point from = points[i];
    for (int k = 1; k <= pieces; ++k) {
      const Point to = between(before, points[i], points[i + 1], after, static_cast<double>(k) / pieces);
      ink_segment(from, to, thickness, ink);
      from = to;
    }
  }
}

}  // namespace

void draw_digit(int digit, RandomStream& stream, std::span<std::uint8_t> pixels) {
  assert(digit >= 0 && digit <= 9 && pixels.size() == digit_pixels);
  const Glyph& glyph = glyphs[static_cast<std::size_t>(digit)][stream.integer(2)];
  const Hand hand = draw_hand(stream);
  const double thickness = stream.uniform(1.3, 3.2), wobble = 0.035;
  const double brightness = stream.uniform(0.75, 1.0), grain = stream.uniform(0.0, 0.09);

  Ink ink{};
  Point last{-1, -1}, last_moved{};
  for (std::size_t s = 0; s < static_cast<std::size_t>(glyph.strokes); ++s) {
    const Stroke& stroke = glyph.stroke[s];
    std::array<Point, 9> points{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(stroke.count); ++i) {
      const Point model = stroke.points[i];
      const bool joined = i == 0 && model.x == last.x && model.y == last.y;  // two strokes that meet stay together
      const double wx = wobble * stream.normal(), wy = wobble * stream.normal();
      points[i] = joined ? last_moved : hand.place({model.x + wx, model.y + wy});
      last = model;
      last_moved = points[i];
    }
    ink_stroke(stroke, {points.data(), static_cast<std::size_t>(stroke.count)}, thickness, ink);
  }
  for (std::size_t i = 0; i < ink.size(); i += 2) {
    // The grain is the sum of two uniforms, four 16-bit numbers to a draw: its shape is of no account, its cost is.
    std::uint64_t bits = stream.bits();
    for (std::size_t k = i; k < i + 2; ++k, bits >>= 32) {
      const double sum = static_cast<double>(bits & 0xffff) + static_cast<double>((bits >> 16) & 0xffff);
      const double noise = grain * std::sqrt(6.0) * (sum / 0x1p16 - 1);  // deviation `grain`
      const double value = std::clamp(brightness * static_cast<double>(ink[k]) + noise, 0.0, 1.0);
      pixels[k] = static_cast<std::uint8_t>(255 * value + 0.5);
    }
  }
}

}  // namespace fovea
