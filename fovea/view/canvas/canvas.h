// Canvas: the interface of a surface to draw on (room view/canvas). Figures (view/plot) draw on it. svg_canvas.h and
// view/picture/cairo_canvas.h implement it.
//
// Units are points (1/72 inch; one CSS pixel on a page), x to the right, y down.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/utf8.h"

namespace fovea {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
};

// A colour is either itself, or plays a part that a page may give its own colour to (dark pages).
struct Color {
  enum class Role : std::uint8_t { itself, ink, muted, grid, paper, none };
  std::uint8_t red = 0, green = 0, blue = 0;
  double alpha = 1;
  Role role = Role::itself;

  Color faded(double by) const {
    Color color = *this;
    color.alpha *= by;
    return color;
  }
  bool visible() const { return role != Role::none && alpha > 0; }

  static Color rgb(int hex);  // 0x0072b2
  static Color ink() { return {0x1c, 0x21, 0x28, 1, Role::ink}; }
  static Color muted() { return {0x57, 0x60, 0x6a, 1, Role::muted}; }
  static Color grid() { return {0xdf, 0xe3, 0xe8, 1, Role::grid}; }
  static Color paper() { return {0xff, 0xff, 0xff, 1, Role::paper}; }
  static Color none() { return {0, 0, 0, 0, Role::none}; }
};

struct Stroke {
  Color color = Color::ink();
  double width = 1;
  std::vector<double> dash;  // lengths on, off, …; empty: solid
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 10;
  Color color = Color::ink();
  Anchor anchor = Anchor::start;
  double turn = 0;  // degrees clockwise about the anchor
  bool bold = false;
};

// Pixels row by row, 3 bytes each.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual void polyline(std::span<const Point> points, const Stroke& stroke) = 0;
  virtual void polygon(std::span<const Point> points, const Color& fill, const Stroke& edge) = 0;
  virtual void circle(Point centre, double radius, const Color& fill, const Stroke& edge) = 0;
  virtual void rectangle(const Box& box, const Color& fill, const Stroke& edge) = 0;
  // `at` is on the baseline.
  virtual void text(Point at, std::string_view words, const TextStyle& style) = 0;
  // Pixels stay sharp squares.
  virtual void image(const Box& box, const Image& image) = 0;
  // What is drawn until the matching end_clip() shows only inside the box. Clips nest.
  virtual void begin_clip(const Box& box) = 0;
  virtual void end_clip() = 0;

  void line(Point from, Point to, const Stroke& stroke) {
    const Point ends[] = {from, to};
    polyline(ends, stroke);
  }
};

inline Stroke no_edge() { return {Color::none(), 0, {}}; }

// How wide a text comes out in the usual sans-serif, slightly over rather than under: layouts are the same in every
// format.
double text_width(std::string_view words, double size, bool bold = false);

// Breaks at spaces so that each line is at most `width` wide; a word longer than that is cut with an ellipsis.
std::vector<std::string> wrap_text(std::string_view words, double width, double size, bool bold = false);
std::string shorten_text(std::string_view words, double width, double size, bool bold = false);

// clean_utf8 with & < > " ' written as entities.
std::string escape_markup(std::string_view text);

}  // namespace fovea
