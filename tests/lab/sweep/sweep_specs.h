// For tests of runs that are known by their specs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fovea/lab/sweep/sweep.h"

namespace fovea {

// Trains what the store does not have, and returns the records.
inline std::vector<RunRecord> sweep_specs(Store& store, const std::string& experiment,
                                          const std::vector<RunSpec>& specs, SweepOptions options) {
  return sweep(store, experiment, std::vector<ResolvedRun>(specs.begin(), specs.end()), std::move(options));
}

}  // namespace fovea
