// Makes a figure of metrics over steps, and saves figures to files (room view/plot). `fovea plot`, `fovea compare`
// and the report's files call it. It writes the given file only.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fovea/view/plot/figure.h"
#include "fovea/view/plot/figure_kind.h"

namespace fovea {

enum class FigureFormat { svg, pdf, png };

// By the extension. Throws wrong_input for any other, before anything is computed.
FigureFormat figure_format(const std::filesystem::path& file);

// Lines over steps, one colour for each way in which the runs differ (but for the seed). Metrics may be expressions. An
// unknown metric throws wrong_input with the nearest name.
Figure plot_metrics(std::span<const RunRecord> runs, const std::vector<std::string>& metrics);
// One colour for each value of these settings.
Figure plot_metrics(std::span<const RunRecord> runs, const std::vector<std::string>& metrics,
                    const std::vector<std::string>& by);

void save_figure(const Figure& figure, const std::filesystem::path& file);

}  // namespace fovea
