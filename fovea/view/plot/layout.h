// FigureLayout: the position of each part of a figure, computed before anything is drawn (room view/plot). figure.cpp
// and view/picture call it, because the canvas must know its height.
#pragma once

#include <string>
#include <vector>

#include "fovea/view/plot/figure.h"

namespace fovea {

namespace type {  // sizes of type, in points
inline constexpr double title = 13, panel = 11, label = 10.5, tick = 9.5, legend = 10.5, small = 9;
}

struct RuleLabel {
  double x = 0;
  int row = 0;
  Anchor anchor = Anchor::middle;
  std::string words;
};

struct PanelLayout {
  Box plot;  // inside the axes
  AxisScale x, y;
  std::vector<Tick> x_ticks, y_ticks;
  std::vector<std::string> title;
  std::vector<RuleLabel> rule_labels;
  int rule_rows = 0;
  double title_baseline = 0;
  double top_edge = 0;  // of the ticks' outer labels
};

struct LegendPlace {
  double x = 0, baseline = 0;
  std::string label;
};

struct FigureLayout {
  double width = 0, height = 0;
  std::vector<std::string> title, note;
  std::vector<LegendPlace> legend;
  Box color_bar;
  std::vector<PanelLayout> panels;
  double note_top = 0;
};

inline constexpr double figure_margin = 10, legend_swatch = 24, strip_gap = 10;

FigureLayout lay_out(const Figure& figure, const FigureLook& look);

// The canvas has the layout's width and height.
void draw_figure(Canvas& canvas, const Figure& figure, const FigureLayout& layout);

// The side of a picture in a strip that is `width` wide.
double strip_side(const Panel& panel, double width);
double strip_height(const Panel& panel, double width);

}  // namespace fovea
