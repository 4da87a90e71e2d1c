// Figure: a figure as data, panels of marks over axes with one legend outside them (room view/plot). Figure kinds
// (view/plot/figure_kind.h) make figures from runs. The report, the page's story and the program draw them, all in
// the same way.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fovea/view/canvas/canvas.h"
#include "fovea/view/canvas/palette.h"
#include "fovea/view/plot/axis.h"

namespace fovea {

// A mark with a name shows data, and its numbers are told under that name (view/plot/figure_numbers.h); one without is
// there for the eye.

// A line through points, markers at them, or both. A point that is not finite (or not positive on a log axis) breaks
// the line.
struct CurveMark {
  std::vector<Point> points;
  Color color = Color::ink();
  double width = 1.5;  // 0: markers alone
  std::vector<double> dash;
  Marker marker = Marker::none;
  double marker_size = 2.6;  // radius
  bool in_range = true;      // whether the axes make room for it
  std::string name = {};
};

struct BandMark {
  std::vector<double> x, low, high;
  Color color;
  std::string name = {};
};

// Lies along x at height `at` (a category), from `from` to `to`.
struct BarMark {
  double at = 0, half = 0.4, from = 0, to = 0;
  Color color;
  std::string name = {};
};

// values (rows, columns), row 0 at the top; the cells fill the panel.
struct CellsMark {
  int rows = 0, columns = 0;
  std::vector<double> values;  // NaN: an empty cell
  double low = 0, high = 1;
  ColorScale scale = ColorScale::sequential;
  std::string name = {};
};

struct ArrowsMark {
  std::vector<Point> from, along;  // in data; drawn with one length, only the direction counts
  Color color = Color::muted();
};

// A straight line across the panel at one value, with a label above it (vertical) or at its right end.
struct RuleMark {
  bool vertical = true;
  double at = 0;
  std::string label;
  Color color = Color::muted();
};

using Mark = std::variant<CurveMark, BandMark, BarMark, CellsMark, ArrowsMark, RuleMark>;

// Images in a row with a weight under each.
struct Strip {
  struct Item {
    Image image;
    double weight = 0;
  };
  std::string label;
  std::vector<Item> items;
};

struct Panel {
  std::string title;
  PlotAxis x, y;
  std::vector<Mark> marks;
  bool square = false;        // one unit of cells is as wide as high
  std::vector<Strip> strips;  // in place of axes
  std::string message;        // in place of data: why there is nothing to see
};

struct LegendEntry {
  std::string label;
  Color color = Color::ink();
  double width = 2;  // 0: no line
  std::vector<double> dash;
  Marker marker = Marker::none;
  bool patch = false;  // a filled square, for bars and bands
};

struct ColorBar {
  ColorScale scale = ColorScale::sequential;
  double low = 0, high = 1;
  std::string label;
};

struct Figure {
  std::string title;
  std::string description;  // for who cannot see it: what is shown and what comes out
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;
  std::optional<ColorBar> color_bar;
  int columns = 0;                 // 0: as many as fit
  double least_panel_width = 220;  // narrower than this, panels go under each other
  bool share_x = true, share_y = false;
  std::string note;  // a line under the figure
};

struct FigureLook {
  double width = 720;
  bool with_title = true;
  // For a page's SVG: see SvgOptions.
  bool in_page = false;
  std::string id = "figure";
};

std::string figure_svg(const Figure& figure, const FigureLook& look = {});

}  // namespace fovea
