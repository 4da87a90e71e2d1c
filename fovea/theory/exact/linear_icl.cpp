#include "fovea/theory/exact/linear_icl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

void check(const LinearIclSetting& setting) {
  if (setting.pairs < 1)
    throw wrong_input(fmt::format("{} pairs do not determine a map", setting.pairs), "use 1 or more");
  if (setting.eigenvalues.empty())
    throw wrong_input("the vectors have no dimensions", "give one eigenvalue for each dimension");
  for (const double value : setting.eigenvalues)
    if (!(value > 0 && std::isfinite(value)))
      throw wrong_input(fmt::format("an eigenvalue of {} is not a variance", value), "give numbers above 0");
}

// Where s is when a share of the drop is done, as the logit of it.
double drop_logit(double share) {
  const double left = std::sqrt(1 - share);
  return math::log((1 - left) / left);
}

}  // namespace

std::vector<double> linear_icl_rungs(const LinearIclSetting& setting) {
  check(setting);
  std::vector<double> values = setting.eigenvalues;
  std::sort(values.begin(), values.end(), std::greater<>());
  const double trace = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<double> rungs{trace};
  for (const double value : values) rungs.push_back(rungs.back() - value / (1 + (1 + trace / value) / setting.pairs));
  return rungs;
}

double linear_icl_duration(const LinearIclSetting& setting, double from, double to) {
  check(setting);
  const auto [least, most] = std::minmax_element(setting.eigenvalues.begin(), setting.eigenvalues.end());
  if (*least != *most)
    throw wrong_input("the drop has a closed form only if all eigenvalues are equal", "give equal eigenvalues");
  if (!(0 < from && from < to && to < 1))
    throw wrong_input(fmt::format("a drop has no part from {} to {}", from, to), "use shares between 0 and 1");
  const double slope = *most * *most * std::sqrt(static_cast<double>(setting.eigenvalues.size()));
  return (drop_logit(to) - drop_logit(from)) / (2 * slope);
}

}  // namespace fovea
