// Figures as PDF and PNG, and any figure as a file (room view/picture). Commands plot, compare and report call
// it. save_figure() writes the given file only. The room is apart from view/plot, because it alone needs Cairo, which
// the first program of ./run and the module of the Python package do not have.
#pragma once

#include <filesystem>
#include <string>

#include "fovea/view/plot/figure.h"

namespace fovea {

std::string figure_pdf(const Figure& figure, const FigureLook& look = {});
std::string figure_png(const Figure& figure, double scale = 2, const FigureLook& look = {});

enum class FigureFormat { svg, pdf, png };

// By the extension. Throws wrong_input for any other, before anything is computed.
FigureFormat figure_format(const std::filesystem::path& file);

void save_figure(const Figure& figure, const std::filesystem::path& file);

}  // namespace fovea
