#include "fovea/view/plot/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void take(double value, bool log) {
    if (!std::isfinite(value) || (log && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void take(const Range& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  bool empty() const { return !(low <= high); }
};

struct Ranges {
  Range x, y;
  bool cells = false, bars = false, markers = false;
};

Ranges ranges_of(const Panel& panel) {
  Ranges found;
  const bool log_x = panel.x.log, log_y = panel.y.log;
  for (const Mark& mark : panel.marks) {
    if (const auto* curve = std::get_if<CurveMark>(&mark)) {
      if (!curve->in_range) continue;
      found.markers = found.markers || curve->marker != Marker::none;
      for (const Point& p : curve->points) {
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || (log_x && p.x <= 0) || (log_y && p.y <= 0)) continue;
        found.x.take(p.x, log_x);
        found.y.take(p.y, log_y);
      }
    } else if (const auto* band = std::get_if<BandMark>(&mark)) {
      for (const double x : band->x) found.x.take(x, log_x);
      for (const double y : band->low) found.y.take(y, log_y);
      for (const double y : band->high) found.y.take(y, log_y);
    } else if (const auto* bar = std::get_if<BarMark>(&mark)) {
      found.bars = true;
      found.x.take(bar->from, log_x);
      found.x.take(bar->to, log_x);
    } else if (const auto* cells = std::get_if<CellsMark>(&mark)) {
      found.cells = true;
      found.x = {-0.5, cells->columns - 0.5};
      found.y = {-0.5, cells->rows - 0.5};
    } else if (const auto* rule = std::get_if<RuleMark>(&mark)) {
      (rule->vertical ? found.x : found.y).take(rule->at, rule->vertical ? log_x : log_y);
    }
  }
  return found;
}

// The axis' ends: what the author set, else the data with a little air where `air` asks for it.
AxisScale project(const PlotAxis& axis, Range range, double air, bool flip_categories) {
  AxisScale p;
  p.log = axis.log;
  if (!axis.categories.empty()) {
    p.low = -0.5;
    p.high = static_cast<double>(axis.categories.size()) - 0.5;
    if (flip_categories) std::swap(p.low, p.high);
    return p;
  }
  if (range.empty()) range = axis.log ? Range{0.1, 10} : Range{0, 1};
  if (axis.least) range.low = *axis.least;
  if (axis.most) range.high = *axis.most;
  if (axis.log) {
    if (!(range.low > 0)) range.low = range.high > 0 ? range.high / 1000 : 0.1;
    if (!(range.high > range.low)) {
      range.high = range.low * 2;
      range.low /= 2;
    }
    const double factor = math::pow(range.high / range.low, air);
    p.low = axis.least ? range.low : range.low / factor;
    p.high = axis.most ? range.high : range.high * factor;
    return p;
  }
  if (!(range.high > range.low)) {
    const double half = range.low == 0 || !std::isfinite(range.low) ? 0.5 : std::abs(range.low) * 0.1;
    range = {range.low - half, range.low + half};
  }
  const double margin = (range.high - range.low) * air;
  p.low = axis.least ? range.low : range.low - margin;
  p.high = axis.most ? range.high : range.high + margin;
  return p;
}

// Cells and categories: a tick at whole numbers, as many as there is room for.
std::vector<Tick> cell_ticks(double low, double high, int wanted) {
  std::vector<Tick> ticks = nice_ticks(low, high, false, wanted);
  std::erase_if(ticks, [](const Tick& tick) { return std::abs(tick.at - std::round(tick.at)) > 1e-9; });
  return ticks;
}

std::vector<Tick> category_ticks(const std::vector<std::string>& names, double room, bool every) {
  std::vector<Tick> ticks;
  const std::size_t stride =
      every ? 1
            : std::max<std::size_t>(
                  1, static_cast<std::size_t>(std::ceil(static_cast<double>(names.size()) * 18 / std::max(room, 1.0))));
  for (std::size_t i = 0; i < names.size(); i += stride) ticks.push_back({static_cast<double>(i), names[i]});
  return ticks;
}

void place_rule_labels(const Panel& panel, PanelLayout& out) {
  std::vector<RuleLabel> labels;
  for (const Mark& mark : panel.marks) {
    const auto* rule = std::get_if<RuleMark>(&mark);
    if (!rule || !rule->vertical || rule->label.empty() || !out.x.shows(rule->at)) continue;
    labels.push_back({out.x(rule->at), 0, Anchor::middle, shorten_text(rule->label, out.plot.width, type::small)});
  }
  std::stable_sort(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  std::vector<double> row_ends;
  for (RuleLabel& label : labels) {
    const double wide = text_width(label.words, type::small);
    const double left = std::clamp(label.x - wide / 2, out.plot.x, std::max(out.plot.x, out.plot.right() - wide));
    label.x = left + wide / 2;
    std::size_t row = 0;
    while (row < row_ends.size() && row_ends[row] > left - 6) ++row;
    if (row == row_ends.size()) row_ends.push_back(0);
    row_ends[row] = left + wide;
    label.row = static_cast<int>(row);
  }
  out.rule_rows = static_cast<int>(row_ends.size());
  out.rule_labels = std::move(labels);
}

double place_legend(const Figure& figure, FigureLayout& out, double top) {
  const double left = figure_margin, right = out.width - figure_margin;
  double x = left, y = top;
  for (const LegendEntry& entry : figure.legend) {
    const std::string label = shorten_text(entry.label, right - left - legend_swatch - 6, type::legend);
    const double wide = legend_swatch + 6 + text_width(label, type::legend);
    if (x > left && x + wide > right) {
      x = left;
      y += 16;
    }
    out.legend.push_back({x, y + 11, label});
    x += wide + 16;
  }
  if (!figure.legend.empty()) y += 20;
  if (figure.color_bar) {
    const double wide = std::min(200.0, (right - left) * 0.5);
    out.color_bar = {left, y + 3, wide, 9};
    y += 32;
  }
  return y;
}

double plot_height(const Figure& figure, const Panel& panel, const Ranges& found, double plot_width) {
  if (!panel.strips.empty()) return strip_height(panel, plot_width);
  if (found.bars) return std::max(60.0, 26.0 * static_cast<double>(panel.y.categories.size()) + 10);
  if (panel.square && found.cells) {
    const double rows = found.y.high - found.y.low, columns = found.x.high - found.x.low;
    return std::clamp(plot_width * rows / columns, 40.0, 460.0);
  }
  if (panel.square) return std::min(plot_width, 420.0);
  return std::clamp(plot_width * (figure.panels.size() == 1 ? 0.56 : 0.66), 150.0, 330.0);
}

}  // namespace

double strip_side(const Panel& panel, double width) {
  std::size_t most = 1;
  for (const Strip& strip : panel.strips) most = std::max(most, strip.items.size());
  return std::clamp((width + strip_gap) / static_cast<double>(most) - strip_gap, 12.0, 72.0);
}

double strip_height(const Panel& panel, double width) {
  return static_cast<double>(panel.strips.size()) * (strip_side(panel, width) + 50) - 8;
}

FigureLayout lay_out(const Figure& figure, const FigureLook& look) {
  FigureLayout out;
  out.width = look.width;
  const double inner = look.width - 2 * figure_margin;
  double y = figure_margin;
  if (look.with_title && !figure.title.empty()) {
    out.title = wrap_text(figure.title, inner, type::title, true);
    y += 17 * static_cast<double>(out.title.size()) + 4;
  }
  y = place_legend(figure, out, y);

  const std::size_t count = figure.panels.size();
  const double gap = 18;
  std::size_t columns = figure.columns > 0 ? static_cast<std::size_t>(figure.columns)
                        : count <= 3       ? count
                        : count == 4       ? 2
                                           : 3;
  columns = std::min(
      columns, static_cast<std::size_t>(std::max(1.0, std::floor((inner + gap) / (figure.least_panel_width + gap)))));
  columns = std::clamp<std::size_t>(columns, 1, std::max<std::size_t>(count, 1));
  if (count > 0) {  // no row much emptier than the others
    const std::size_t rows = (count + columns - 1) / columns;
    columns = (count + rows - 1) / rows;
  }
  const double cell = (inner - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);

  std::vector<Ranges> found(count);
  Ranges all;
  for (std::size_t i = 0; i < count; ++i) {
    found[i] = ranges_of(figure.panels[i]);
    all.x.take(found[i].x);
    all.y.take(found[i].y);
  }

  // Ticks first: their labels say how much room stays for the plot. Every panel gets the widest margin, so that columns
  // line up.
  out.panels.resize(count);
  double left = 8, title_lines = 0, right = 6;
  bool any_y_label = false, any_x_label = false, any_axes = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Panel& panel = figure.panels[i];
    PanelLayout& place = out.panels[i];
    place.title = wrap_text(panel.title, cell, type::panel, true);
    title_lines = std::max(title_lines, static_cast<double>(place.title.size()));
    if (!panel.strips.empty()) continue;
    any_axes = true;
    const double rough = cell * 0.8;
    place.x = project(panel.x, figure.share_x ? all.x : found[i].x,
                      found[i].cells                      ? 0
                      : found[i].markers || found[i].bars ? 0.03
                                                          : 0.0,
                      false);
    place.y = project(panel.y, figure.share_y ? all.y : found[i].y, found[i].cells ? 0 : 0.04, true);
    if (found[i].cells && panel.y.categories.empty()) std::swap(place.y.low, place.y.high);
    const int wide = std::clamp(static_cast<int>(rough / (panel.x.log ? 50 : 52)), 2, 8);
    place.x_ticks = !panel.x.categories.empty() ? category_ticks(panel.x.categories, rough, false)
                    : found[i].cells            ? cell_ticks(-0.5, place.x.high, wide)
                                                : nice_ticks(place.x.low, place.x.high, panel.x.log, wide);
    const int high = std::clamp(static_cast<int>(rough * 0.6 / 36), 3, 7);
    place.y_ticks = !panel.y.categories.empty()
                        ? category_ticks(panel.y.categories, 1e9, found[i].bars || panel.y.categories.size() <= 24)
                    : found[i].cells ? cell_ticks(-0.5, std::max(place.y.low, place.y.high), high)
                                     : nice_ticks(place.y.low, place.y.high, panel.y.log, high);
    for (Tick& tick : place.y_ticks) {
      tick.label = shorten_text(tick.label, cell * 0.42, type::tick);
      left = std::max(left, text_width(tick.label, type::tick) + 8);
    }
    if (!place.x_ticks.empty()) right = std::max(right, text_width(place.x_ticks.back().label, type::tick) / 2);
    any_y_label = any_y_label || !panel.y.label.empty();
    any_x_label = any_x_label || !panel.x.label.empty();
    for (const Mark& mark : panel.marks)
      if (const auto* rule = std::get_if<RuleMark>(&mark); rule && !rule->vertical)
        right = std::max(right, text_width(rule->label, type::small) + 6);
  }
  if (any_y_label) left += 15;
  if (!any_axes) left = right = 0;
  const double plot_width = std::max(40.0, cell - left - right);

  for (std::size_t row = 0; row * columns < count; ++row) {
    const std::size_t begin = row * columns, end = std::min(count, begin + columns);
    int rule_rows = 0;
    double height = 0, row_title = 0;
    for (std::size_t i = begin; i < end; ++i) {
      PanelLayout& place = out.panels[i];
      place.plot = {figure_margin + static_cast<double>(i - begin) * (cell + gap) + left, 0, plot_width, 0};
      place.plot.height = plot_height(figure, figure.panels[i], found[i], plot_width);
      height = std::max(height, place.plot.height);
      row_title = std::max(row_title, static_cast<double>(place.title.size()));
      place.x.from = place.plot.x;
      place.x.to = place.plot.right();
      place_rule_labels(figure.panels[i], place);
      rule_rows = std::max(rule_rows, place.rule_rows);
    }
    const double top = y + row_title * 14 + (row_title > 0 ? 5 : 2) + rule_rows * 12 + (rule_rows ? 3 : 0);
    for (std::size_t i = begin; i < end; ++i) {
      PanelLayout& place = out.panels[i];
      place.title_baseline = y + 10;
      place.plot.y = top;
      // Square cells keep their shape where the height is bound.
      if (figure.panels[i].square && found[i].cells && !figure.panels[i].marks.empty()) {
        const double columns_shown = found[i].x.high - found[i].x.low, rows_shown = found[i].y.high - found[i].y.low;
        place.plot.width = std::min(place.plot.width, place.plot.height * columns_shown / rows_shown);
        place.x.to = place.plot.right();
      }
      place.y.from = place.plot.bottom();
      place.y.to = place.plot.y;
    }
    y = top + height + (any_axes ? 17 + (any_x_label ? 15 : 0) : 0) + 10;
  }

  out.note_top = y;
  if (!figure.note.empty()) {
    out.note = wrap_text(figure.note, inner, type::small);
    y += 12 * static_cast<double>(out.note.size()) + 4;
  }
  out.height = y;
  return out;
}

}  // namespace fovea
