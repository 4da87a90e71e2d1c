// Axes: where data are on paper, and the round numbers beside them (room view/plot). figure.h and layout.h of this
// room use them. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fovea {

struct PlotAxis {
  std::string label;
  bool log = false;
  std::optional<double> least, most;    // else from the data
  std::vector<std::string> categories;  // not empty: category i stands at i, from the top or left
};

struct Tick {
  double at = 0;
  std::string label;  // empty: a minor tick
};

// Round ticks within [low, high], about `wanted` of them and never more than twice that; logarithmic ones at 1, 10, 100
// (with 2 and 5 where few decades are shown). low < high; positive where log.
std::vector<Tick> nice_ticks(double low, double high, bool log, int wanted);

// Where values of an axis fall between two ends on paper (`from` holds `low`).
struct AxisScale {
  double low = 0, high = 1, from = 0, to = 1;
  bool log = false;

  bool shows(double value) const;  // finite, and positive where log
  double operator()(double value) const;
};

}  // namespace fovea
