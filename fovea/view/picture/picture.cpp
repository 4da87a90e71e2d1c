#include "fovea/view/picture/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error/names.h"
#include "fovea/base/file.h"
#include "fovea/view/picture/cairo_canvas.h"
#include "fovea/view/plot/layout.h"

namespace fovea {

namespace {

std::string draw_with_cairo(const Figure& figure, CairoCanvas::Kind kind, double scale, const FigureLook& look) {
  const FigureLayout layout = lay_out(figure, look);
  CairoCanvas canvas(kind, layout.width, layout.height, scale, figure.title);
  draw_figure(canvas, figure, layout);
  return canvas.finish();
}

}  // namespace

std::string figure_pdf(const Figure& figure, const FigureLook& look) {
  return draw_with_cairo(figure, CairoCanvas::Kind::pdf, 1, look);
}

std::string figure_png(const Figure& figure, double scale, const FigureLook& look) {
  return draw_with_cairo(figure, CairoCanvas::Kind::png, scale, look);
}

FigureFormat figure_format(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (extension == ".svg") return FigureFormat::svg;
  if (extension == ".pdf") return FigureFormat::pdf;
  if (extension == ".png") return FigureFormat::png;
  throw wrong_input(extension.empty() ? fmt::format("the name '{}' has no known ending", file.string())
                                      : fmt::format("cannot write a figure as '{}'", extension),
                    "let the name end with .svg, .pdf or .png, as in figure.svg");
}

void save_figure(const Figure& figure, const std::filesystem::path& file) {
  switch (figure_format(file)) {
    case FigureFormat::svg:
      return write_whole(file, figure_svg(figure));
    case FigureFormat::pdf:
      return write_whole(file, figure_pdf(figure));
    case FigureFormat::png:
      return write_whole(file, figure_png(figure, 3));
  }
}

}  // namespace fovea
