#include "fovea/view/canvas/svg_canvas.h"

#include <fmt/format.h>

#include <cmath>

#include "fovea/io/base64.h"
#include "fovea/view/canvas/png.h"

namespace fovea {

namespace {

// At most two decimals and no trailing zeros; what is not finite never reaches a canvas, but must not break the file.
std::string number(double x) {
  if (!std::isfinite(x)) return "0";
  std::string text = fmt::format("{:.2f}", x);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string path_of(std::span<const Point> points) {
  std::string path;
  for (const Point& p : points) {
    if (!path.empty()) path += ' ';
    path += number(p.x) + ',' + number(p.y);
  }
  return path;
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, SvgOptions options) : options_(std::move(options)) {
  const std::string id = escape_markup(options_.id);
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"{2}-title {2}-desc\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
      "sans-serif\">\n"
      "<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-desc\">{4}</desc>\n",
      number(width), number(height), id, escape_markup(options_.title), escape_markup(options_.description));
  if (!options_.in_page) rectangle({0, 0, width, height}, Color::paper(), no_edge());
}

std::string SvgCanvas::paint(const char* attribute, const Color& color) const {
  if (!color.visible()) return fmt::format(" {}=\"none\"", attribute);
  std::string value = fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
  if (options_.in_page) {
    switch (color.role) {
      case Color::Role::ink:
        value = "var(--fig-ink)";
        break;
      case Color::Role::muted:
        value = "var(--fig-muted)";
        break;
      case Color::Role::grid:
        value = "var(--fig-grid)";
        break;
      case Color::Role::paper:
        value = "var(--fig-paper)";
        break;
      default:
        break;
    }
  }
  std::string text = fmt::format(" {}=\"{}\"", attribute, value);
  if (color.alpha < 1) text += fmt::format(" {}-opacity=\"{}\"", attribute, number(color.alpha));
  return text;
}

std::string SvgCanvas::edge(const Stroke& stroke) const {
  if (!stroke.color.visible() || stroke.width <= 0) return {};
  std::string text = paint("stroke", stroke.color) + fmt::format(" stroke-width=\"{}\"", number(stroke.width));
  if (!stroke.dash.empty()) {
    text += " stroke-dasharray=\"";
    for (const double length : stroke.dash) text += number(length) + " ";
    text.pop_back();
    text += '"';
  }
  return text;
}

void SvgCanvas::polyline(std::span<const Point> points, const Stroke& stroke) {
  if (points.size() < 2) return;
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\"{} stroke-linejoin=\"round\"/>\n", path_of(points),
                       edge(stroke));
}

void SvgCanvas::polygon(std::span<const Point> points, const Color& fill, const Stroke& stroke) {
  body_ += fmt::format("<polygon points=\"{}\"{}{}/>\n", path_of(points), paint("fill", fill), edge(stroke));
}

void SvgCanvas::circle(Point centre, double radius, const Color& fill, const Stroke& stroke) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}{}/>\n", number(centre.x), number(centre.y),
                       number(radius), paint("fill", fill), edge(stroke));
}

void SvgCanvas::rectangle(const Box& box, const Color& fill, const Stroke& stroke) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}{}/>\n", number(box.x), number(box.y),
                       number(box.width), number(box.height), paint("fill", fill), edge(stroke));
}

void SvgCanvas::text(Point at, std::string_view words, const TextStyle& style) {
  std::string extra;
  if (style.anchor == Anchor::middle) extra += " text-anchor=\"middle\"";
  if (style.anchor == Anchor::end) extra += " text-anchor=\"end\"";
  if (style.bold) extra += " font-weight=\"bold\"";
  if (style.turn != 0)
    extra += fmt::format(" transform=\"rotate({} {} {})\"", number(style.turn), number(at.x), number(at.y));
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}>{}</text>\n", number(at.x), number(at.y),
                       number(style.size), paint("fill", style.color), extra, escape_markup(words));
}

void SvgCanvas::image(const Box& box, const Image& image) {
  if (image.width <= 0 || image.height <= 0) return;
  body_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      number(box.x), number(box.y), number(box.width), number(box.height), base64(png_of(image)));
}

void SvgCanvas::begin_clip(const Box& box) {
  const std::string id = fmt::format("{}-clip{}", escape_markup(options_.id), ++clips_);
  body_ += fmt::format(
      "<clipPath id=\"{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n<g "
      "clip-path=\"url(#{0})\">\n",
      id, number(box.x), number(box.y), number(box.width), number(box.height));
}

void SvgCanvas::end_clip() { body_ += "</g>\n"; }

std::string SvgCanvas::finish() { return std::move(body_) + "</svg>\n"; }

}  // namespace fovea
