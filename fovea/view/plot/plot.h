// Makes a figure of metrics over steps (room view/plot). `fovea plot` calls it. Pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/view/plot/figure.h"
#include "fovea/view/plot/figure_kind.h"

namespace fovea {

// Lines over steps, one colour for each way in which the runs differ (but for the seed). Metrics may be expressions. An
// unknown metric throws wrong_input with the nearest name.
Figure plot_metrics(std::span<const RunRecord> runs, const std::vector<std::string>& metrics);
// One colour for each value of these settings.
Figure plot_metrics(std::span<const RunRecord> runs, const std::vector<std::string>& metrics,
                    const std::vector<std::string>& by);

}  // namespace fovea
