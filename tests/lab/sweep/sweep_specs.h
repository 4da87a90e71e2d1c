// For tests of runs that are known by their specs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fovea/lab/sweep/sweep.h"
#include "tests/lab/train/mark.h"

namespace fovea {

// Trains what the store does not have, and returns the records.
inline std::vector<RunRecord> sweep_specs(Store& store, const std::string& experiment,
                                          const std::vector<RunSpec>& specs, SweepOptions options) {
  return sweep(store, experiment, std::vector<ResolvedRun>(specs.begin(), specs.end()), std::move(options));
}

namespace testing_parts {

// Specs of task "mark", one for each seed from 0 on.
inline std::vector<RunSpec> swept_specs(const std::vector<std::string>& changes, std::uint64_t seeds) {
  std::vector<RunSpec> specs;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) specs.push_back(mark_spec(changes, seed));
  return specs;
}

// Runs at hand, as a list that labels each by its number.
class Listed : public RunList {
 public:
  explicit Listed(std::vector<RunSpec> specs) : specs_(std::move(specs)) {}
  std::size_t size() const override { return specs_.size(); }
  ResolvedRun at(std::size_t place) const override { return specs_[place]; }
  std::string label(std::size_t place) const override { return "number " + std::to_string(place); }

 private:
  std::vector<RunSpec> specs_;
};

}  // namespace testing_parts
}  // namespace fovea
