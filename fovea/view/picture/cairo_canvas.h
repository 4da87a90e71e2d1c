// CairoCanvas: draws a figure as PDF or PNG through cairo (room view/picture). picture.cpp uses it. It writes
// the bytes of the picture only.
#pragma once

#include <memory>
#include <string>

#include "fovea/view/canvas/canvas.h"

namespace fovea {

class CairoCanvas : public Canvas {
 public:
  enum class Kind { pdf, png };

  // `scale` is pixels a point (PNG), and a factor on the page size (PDF). Throws failure where cairo cannot.
  CairoCanvas(Kind kind, double width, double height, double scale, const std::string& title);
  ~CairoCanvas() override;

  void polyline(std::span<const Point> points, const Stroke& stroke) override;
  void polygon(std::span<const Point> points, const Color& fill, const Stroke& edge) override;
  void circle(Point centre, double radius, const Color& fill, const Stroke& edge) override;
  void rectangle(const Box& box, const Color& fill, const Stroke& edge) override;
  void text(Point at, std::string_view words, const TextStyle& style) override;
  void image(const Box& box, const Image& image) override;
  void begin_clip(const Box& box) override;
  void end_clip() override;

  std::string finish();  // the file's bytes; nothing may be drawn after

 private:
  struct State;
  void paint(const Color& fill, const Stroke& edge);

  std::unique_ptr<State> state_;
};

}  // namespace fovea
