// SvgCanvas: draws a figure as SVG (room view/canvas). view/plot/figure.cpp uses it. It writes real text, a title and
// a description for people who cannot see the figure, and numbers of two decimals.
#pragma once

#include <string>

#include "fovea/view/canvas/canvas.h"

namespace fovea {

struct SvgOptions {
  std::string title, description;
  // Within a page: colours with a part become var(--fig-ink) and so on, there is no background, and the page scales it.
  bool in_page = false;
  std::string id = "figure";  // its ids begin with this
};

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, SvgOptions options);

  void polyline(std::span<const Point> points, const Stroke& stroke) override;
  void polygon(std::span<const Point> points, const Color& fill, const Stroke& edge) override;
  void circle(Point centre, double radius, const Color& fill, const Stroke& edge) override;
  void rectangle(const Box& box, const Color& fill, const Stroke& edge) override;
  void text(Point at, std::string_view words, const TextStyle& style) override;
  void image(const Box& box, const Image& image) override;
  void begin_clip(const Box& box) override;
  void end_clip() override;

  std::string finish();  // the whole document

 private:
  std::string paint(const char* attribute, const Color& color) const;
  std::string edge(const Stroke& stroke) const;

  SvgOptions options_;
  std::string body_;
  int clips_ = 0;
};

}  // namespace fovea
