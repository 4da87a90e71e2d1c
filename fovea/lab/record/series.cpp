#include "fovea/lab/record/series.h"

#include <algorithm>

namespace fovea {

const double* value_at(const Series& series, std::int64_t step) {
  const auto at = std::lower_bound(series.steps.begin(), series.steps.end(), step);
  if (at == series.steps.end() || *at != step) return nullptr;
  return &series.values[static_cast<std::size_t>(at - series.steps.begin())];
}

}  // namespace fovea
