// The error of Gaussian pooling of points on a line for every width, before training (room theory). Pure functions.
// The page's own data (apps/wasm/own_data.cpp) calls it. The one parameter is w, the factor of differences. The
// larger w is, the nearer are the points with attention. Training reduces the error with which each point is answered
// from the others.
#pragma once

#include <span>
#include <vector>

namespace fovea {

struct LinePoints {
  std::span<const double> x, y;
};

// The mean squared error of answering each point from the others. An even function of w.
double leave_one_out_error(const LinePoints& points, double w);

// Each point answered from all, itself among them: what a trained model answers at the points.
std::vector<double> pooled(const LinePoints& points, double w);

struct WidthForecast {
  std::vector<double> widths, errors;  // over all that there is to choose from; widths rise by equal factors
  double width = 0, error = 0;         // where descent from the start comes to rest
  bool at_rest = true;                 // false: it falls on beyond the last of the widths
  double best = 0, best_error = 0;     // the least of all, which descent may not come to
};

// `start` is where training begins. Wants two positions or more.
WidthForecast forecast_width(const LinePoints& points, double start);

}  // namespace fovea
