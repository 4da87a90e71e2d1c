#include "fovea/view/plot/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "fovea/base/functions/functions.h"
#include "fovea/base/number_text.h"
#include "fovea/view/canvas/svg_canvas.h"
#include "fovea/view/plot/layout.h"

namespace fovea {

namespace {

void draw_marker(Canvas& canvas, Point at, Marker marker, double r, const Color& color) {
  const Stroke rim{Color::paper(), 0.5, {}};
  switch (marker) {
    case Marker::circle:
      canvas.circle(at, r, color, rim);
      break;
    case Marker::square:
      canvas.rectangle({at.x - 0.9 * r, at.y - 0.9 * r, 1.8 * r, 1.8 * r}, color, rim);
      break;
    case Marker::diamond: {
      const Point corners[] = {
          {at.x, at.y - 1.3 * r}, {at.x + 1.3 * r, at.y}, {at.x, at.y + 1.3 * r}, {at.x - 1.3 * r, at.y}};
      canvas.polygon(corners, color, rim);
      break;
    }
    case Marker::triangle: {
      const Point corners[] = {
          {at.x, at.y - 1.2 * r}, {at.x + 1.15 * r, at.y + 0.9 * r}, {at.x - 1.15 * r, at.y + 0.9 * r}};
      canvas.polygon(corners, color, rim);
      break;
    }
    case Marker::cross:
      canvas.line({at.x - r, at.y - r}, {at.x + r, at.y + r}, {color, 1.3, {}});
      canvas.line({at.x - r, at.y + r}, {at.x + r, at.y - r}, {color, 1.3, {}});
      break;
    case Marker::none:
      break;
  }
}

// A long line on paper: of the points in each half point of width only first, lowest, highest and last can be seen.
std::vector<Point> thinned(std::vector<Point> points, double width) {
  if (points.size() < static_cast<std::size_t>(8 * width)) return points;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i, low = i, high = i;
    const double slot = std::floor(points[i].x * 2);
    for (; end < points.size() && std::floor(points[end].x * 2) == slot; ++end) {
      if (points[end].y < points[low].y) low = end;
      if (points[end].y > points[high].y) high = end;
    }
    std::size_t chosen[] = {i, std::min(low, high), std::max(low, high), end - 1};
    for (std::size_t k = 0; k < 4; ++k)
      if (k == 0 || chosen[k] != chosen[k - 1]) kept.push_back(points[chosen[k]]);
    i = end;
  }
  return kept;
}

// What stands beside an axis, in so much room.
std::string axis_words(const PlotAxis& axis, double room) {
  const std::string scale = axis.log ? " (log)" : "";
  return shorten_text(axis.label, room - text_width(scale, type::label), type::label) + scale;
}

class PanelPainter {
 public:
  PanelPainter(Canvas& canvas, const Panel& panel, const PanelLayout& place)
      : canvas_(canvas), panel_(panel), place_(place) {}

  void draw() {
    double baseline = place_.title_baseline;
    for (const std::string& line : place_.title) {
      canvas_.text({place_.plot.x, baseline}, line, {type::panel, Color::ink(), Anchor::start, 0, true});
      baseline += 14;
    }
    if (!panel_.message.empty()) return draw_message();
    if (!panel_.strips.empty()) return draw_strips();
    const bool cells = std::any_of(panel_.marks.begin(), panel_.marks.end(),
                                   [](const Mark& m) { return std::holds_alternative<CellsMark>(m); });
    draw_axes(!cells);
    const Box& plot = place_.plot;  // a line along the frame keeps its full width
    canvas_.begin_clip(cells ? plot : Box{plot.x - 1.2, plot.y - 1.2, plot.width + 2.4, plot.height + 2.4});
    for (const Mark& mark : panel_.marks) std::visit([this](const auto& m) { draw_mark(m); }, mark);
    canvas_.end_clip();
    for (const Mark& mark : panel_.marks)  // markers may stand on the frame
      if (const auto* curve = std::get_if<CurveMark>(&mark)) draw_markers(*curve);
    for (const RuleLabel& label : place_.rule_labels)
      canvas_.text({label.x, place_.plot.y - 5 - 12 * label.row}, label.words,
                   {type::small, Color::muted(), Anchor::middle});
    label_levels();
  }

 private:
  // Beside the right end of each level; where levels are close their labels stand under each other.
  void label_levels() {
    std::vector<std::pair<double, std::string>> labels;
    for (const Mark& mark : panel_.marks)
      if (const auto* rule = std::get_if<RuleMark>(&mark);
          rule && !rule->vertical && !rule->label.empty() && place_.y.shows(rule->at))
        labels.emplace_back(place_.y(rule->at) + 3, rule->label);
    std::ranges::stable_sort(labels, {}, [](const auto& label) { return label.first; });
    constexpr double apart = 11;
    for (std::size_t i = 1; i < labels.size(); ++i)
      labels[i].first = std::max(labels[i].first, labels[i - 1].first + apart);
    double below = place_.plot.bottom() + 3 + apart;
    for (auto label = labels.rbegin(); label != labels.rend(); below = label++->first)
      label->first = std::min(label->first, below - apart);
    for (const auto& [y, words] : labels)
      canvas_.text({place_.plot.right() + 4, y}, words, {type::small, Color::muted()});
  }

  void draw_message() {
    canvas_.rectangle(place_.plot, Color::none(), {Color::grid(), 1, {}});
    const std::vector<std::string> lines = wrap_text(panel_.message, place_.plot.width - 20, type::label);
    double y = place_.plot.centre().y - 7 * (static_cast<double>(lines.size()) - 1) + 4;
    for (const std::string& line : lines) {
      canvas_.text({place_.plot.centre().x, y}, line, {type::label, Color::muted(), Anchor::middle});
      y += 14;
    }
  }

  void draw_axes(bool with_grid) {
    const Box& plot = place_.plot;
    for (const Tick& tick : place_.x_ticks) {
      const double x = place_.x(tick.at);
      const bool minor = tick.label.empty();
      if (with_grid && !minor) canvas_.line({x, plot.y}, {x, plot.bottom()}, {Color::grid(), 0.6, {}});
      canvas_.line({x, plot.bottom()}, {x, plot.bottom() + (minor ? 2.0 : 3.5)}, {Color::muted(), 0.8, {}});
      if (!minor) canvas_.text({x, plot.bottom() + 13}, tick.label, {type::tick, Color::muted(), Anchor::middle});
    }
    for (const Tick& tick : place_.y_ticks) {
      const double y = place_.y(tick.at);
      const bool minor = tick.label.empty();
      if (with_grid && !minor && panel_.y.categories.empty())
        canvas_.line({plot.x, y}, {plot.right(), y}, {Color::grid(), 0.6, {}});
      canvas_.line({plot.x - (minor ? 2.0 : 3.5), y}, {plot.x, y}, {Color::muted(), 0.8, {}});
      if (!minor) canvas_.text({plot.x - 6, y + 3.3}, tick.label, {type::tick, Color::muted(), Anchor::end});
    }
    canvas_.line({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, {Color::muted(), 0.9, {}});
    canvas_.line({plot.x, plot.y}, {plot.x, plot.bottom()}, {Color::muted(), 0.9, {}});
    if (!panel_.x.label.empty())
      canvas_.text({plot.centre().x, plot.bottom() + 27}, axis_words(panel_.x, plot.width + 40),
                   {type::label, Color::ink(), Anchor::middle});
    if (!panel_.y.label.empty()) {
      double widest = 0;
      for (const Tick& tick : place_.y_ticks) widest = std::max(widest, text_width(tick.label, type::tick));
      canvas_.text({plot.x - widest - 13, plot.centre().y}, axis_words(panel_.y, plot.height + 20),
                   {type::label, Color::ink(), Anchor::middle, -90});
    }
  }

  bool shows(const Point& p) const { return place_.x.shows(p.x) && place_.y.shows(p.y); }
  Point on_paper(const Point& p) const { return {place_.x(p.x), place_.y(p.y)}; }

  void draw_mark(const CurveMark& curve) {
    if (curve.width <= 0) return;
    std::vector<Point> part;
    const auto flush = [&] {
      if (part.size() >= 2) canvas_.polyline(thinned(part, place_.plot.width), {curve.color, curve.width, curve.dash});
      if (part.size() == 1 && curve.marker == Marker::none)
        canvas_.circle(part[0], curve.width, curve.color, no_edge());
      part.clear();
    };
    // Far beyond the panel a number has no place on paper; the clip cuts what is left.
    const double far = 1e4;
    for (const Point& p : curve.points) {
      if (!shows(p)) {
        flush();
        continue;
      }
      const Point at = on_paper(p);
      part.push_back({std::clamp(at.x, -far, far), std::clamp(at.y, -far, far)});
    }
    flush();
  }

  void draw_markers(const CurveMark& curve) {
    if (curve.marker == Marker::none) return;
    const Box& plot = place_.plot;
    for (const Point& p : curve.points) {
      if (!shows(p)) continue;
      const Point at = on_paper(p);
      if (at.x < plot.x - 0.5 || at.x > plot.right() + 0.5 || at.y < plot.y - 0.5 || at.y > plot.bottom() + 0.5)
        continue;
      draw_marker(canvas_, at, curve.marker, curve.marker_size, curve.color);
    }
  }

  void draw_mark(const BandMark& band) {
    std::vector<Point> outline, back;
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      const Point low{band.x[i], band.low[i]}, high{band.x[i], band.high[i]};
      if (!shows(low) || !shows(high)) continue;
      outline.push_back(on_paper(low));
      back.push_back(on_paper(high));
    }
    if (outline.size() < 2) return;
    outline.insert(outline.end(), back.rbegin(), back.rend());
    canvas_.polygon(outline, band.color.faded(0.18), no_edge());
  }

  void draw_mark(const BarMark& bar) {
    const double origin = place_.x.log ? place_.x.low : bar.from;
    if (!place_.x.shows(bar.to) || !place_.x.shows(origin)) return;
    const double from = place_.x(origin), to = place_.x(bar.to);
    const double top = std::min(place_.y(bar.at - bar.half), place_.y(bar.at + bar.half));
    const double high = std::abs(place_.y(bar.at + bar.half) - place_.y(bar.at - bar.half));
    canvas_.rectangle({std::min(from, to), top, std::abs(to - from), high}, bar.color.faded(0.55),
                      {bar.color, 0.8, {}});
  }

  void draw_mark(const CellsMark& cells) {
    Image image{cells.columns, cells.rows, {}};
    image.rgb.reserve(cells.values.size() * 3);
    for (const double value : cells.values) {
      const double t = cells.high > cells.low ? (value - cells.low) / (cells.high - cells.low) : 0.5;
      const Color color = std::isnan(value) ? Color::rgb(0xbfc4ca) : scale_color(cells.scale, t);
      image.rgb.insert(image.rgb.end(), {color.red, color.green, color.blue});
    }
    canvas_.image(place_.plot, image);
  }

  void draw_mark(const ArrowsMark& arrows) {
    const double length = std::clamp(place_.plot.width / 34, 6.0, 13.0);
    for (std::size_t i = 0; i < arrows.from.size(); ++i) {
      const Point from = on_paper(arrows.from[i]);
      const Point to = on_paper({arrows.from[i].x + arrows.along[i].x, arrows.from[i].y + arrows.along[i].y});
      const double size = math::hypot(to.x - from.x, to.y - from.y);
      if (!(size > 1e-9) || !std::isfinite(size)) continue;
      const Point step{(to.x - from.x) / size, (to.y - from.y) / size};
      const Point tail{from.x - step.x * length / 2, from.y - step.y * length / 2};
      const Point tip{from.x + step.x * length / 2, from.y + step.y * length / 2};
      canvas_.line(tail, tip, {arrows.color.faded(0.55), 0.8, {}});
      const Point head[] = {tip,
                            {tip.x - 3.6 * step.x - 1.6 * step.y, tip.y - 3.6 * step.y + 1.6 * step.x},
                            {tip.x - 3.6 * step.x + 1.6 * step.y, tip.y - 3.6 * step.y - 1.6 * step.x}};
      canvas_.polygon(head, arrows.color.faded(0.55), no_edge());
    }
  }

  void draw_mark(const RuleMark& rule) {
    const Box& plot = place_.plot;
    const Stroke stroke{rule.color, 1, {4, 3}};
    if (rule.vertical) {
      if (place_.x.shows(rule.at))
        canvas_.line({place_.x(rule.at), plot.y}, {place_.x(rule.at), plot.bottom()}, stroke);
    } else if (place_.y.shows(rule.at)) {
      canvas_.line({plot.x, place_.y(rule.at)}, {plot.right(), place_.y(rule.at)}, stroke);
    }
  }

  void draw_strips() {
    const double side = strip_side(panel_, place_.plot.width);
    double y = place_.plot.y;
    for (const Strip& strip : panel_.strips) {
      canvas_.text({place_.plot.x, y + 10}, shorten_text(strip.label, place_.plot.width, type::tick),
                   {type::tick, Color::ink()});
      double x = place_.plot.x;
      double most = 0;
      for (const Strip::Item& item : strip.items) most = std::max(most, item.weight);
      for (const Strip::Item& item : strip.items) {
        const bool first = item.weight == most && most > 0;
        const Box frame{x, y + 15, side, side};
        canvas_.image(frame, item.image);
        canvas_.rectangle(frame, Color::none(), {first ? category_color(1) : Color::grid(), first ? 2.0 : 0.8, {}});
        // The bar under a picture is as long as its weight; the number says it again.
        canvas_.rectangle({x, y + side + 18, side, 4}, Color::grid(), no_edge());
        if (std::isfinite(item.weight))
          canvas_.rectangle({x, y + side + 18, side * std::clamp(item.weight, 0.0, 1.0), 4},
                            category_color(first ? 1 : 0), no_edge());
        char words[32];
        std::snprintf(words, sizeof words, "%.2f", item.weight);
        if (side >= 22)
          canvas_.text({x + side / 2, y + side + 32}, std::isfinite(item.weight) ? words : "–",
                       {type::small, first ? Color::ink() : Color::muted(), Anchor::middle, 0, first});
        x += side + strip_gap;
      }
      y += side + 50;
    }
  }

  Canvas& canvas_;
  const Panel& panel_;
  const PanelLayout& place_;
};

void draw_legend(Canvas& canvas, const Figure& figure, const FigureLayout& layout) {
  for (std::size_t i = 0; i < figure.legend.size(); ++i) {
    const LegendEntry& entry = figure.legend[i];
    const LegendPlace& place = layout.legend[i];
    const double middle = place.baseline - 3.5;
    if (entry.patch)
      canvas.rectangle({place.x + 6, middle - 5, 12, 10}, entry.color.faded(0.55), {entry.color, 0.8, {}});
    else if (entry.width > 0)
      canvas.line({place.x, middle}, {place.x + legend_swatch, middle}, {entry.color, entry.width, entry.dash});
    draw_marker(canvas, {place.x + legend_swatch / 2, middle}, entry.marker, 3.2, entry.color);
    canvas.text({place.x + legend_swatch + 6, place.baseline}, place.label, {type::legend, Color::ink()});
  }
  if (!figure.color_bar) return;
  const ColorBar& bar = *figure.color_bar;
  const Box& box = layout.color_bar;
  Image ramp{256, 1, {}};
  for (int i = 0; i < ramp.width; ++i) {
    const Color color = scale_color(bar.scale, i / 255.0);
    ramp.rgb.insert(ramp.rgb.end(), {color.red, color.green, color.blue});
  }
  canvas.image(box, ramp);
  canvas.text({box.x, box.bottom() + 11}, number_text(bar.low), {type::tick, Color::muted()});
  canvas.text({box.right(), box.bottom() + 11}, number_text(bar.high), {type::tick, Color::muted(), Anchor::end});
  canvas.text({box.right() + 8, box.bottom()}, shorten_text(bar.label, layout.width - box.right() - 18, type::legend),
              {type::legend, Color::ink()});
}

}  // namespace

void draw_figure(Canvas& canvas, const Figure& figure, const FigureLayout& layout) {
  double baseline = figure_margin + 11;
  for (const std::string& line : layout.title) {
    canvas.text({figure_margin, baseline}, line, {type::title, Color::ink(), Anchor::start, 0, true});
    baseline += 17;
  }
  draw_legend(canvas, figure, layout);
  for (std::size_t i = 0; i < figure.panels.size(); ++i)
    PanelPainter(canvas, figure.panels[i], layout.panels[i]).draw();
  baseline = layout.note_top + 9;
  for (const std::string& line : layout.note) {
    canvas.text({figure_margin, baseline}, line, {type::small, Color::muted()});
    baseline += 12;
  }
}

std::string figure_svg(const Figure& figure, const FigureLook& look) {
  const FigureLayout layout = lay_out(figure, look);
  SvgCanvas canvas(layout.width, layout.height, {figure.title, figure.description, look.in_page, look.id});
  draw_figure(canvas, figure, layout);
  return canvas.finish();
}

}  // namespace fovea
