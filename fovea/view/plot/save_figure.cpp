// save_figure() of plot.h: writes a figure as SVG, PDF or PNG (room view/plot). `fovea plot` and the report's files
// call it. It is apart from plot.cpp, because this alone of plotting needs cairo, which the Python package's module
// does not have.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "fovea/base/error/names.h"
#include "fovea/base/file.h"
#include "fovea/view/plot/plot.h"

namespace fovea {

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
