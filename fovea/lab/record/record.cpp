#include "fovea/lab/record/record.h"

#include <algorithm>
#include <cmath>

namespace fovea {

std::string state_name(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::done:
      return "done";
    case RunState::stopped:
      return "stopped";
    case RunState::failed:
      return "failed";
  }
  return {};
}

std::map<std::string, double> RunRecord::metrics() const {
  std::map<std::string, double> last;
  for (const auto& [name, points] : series)
    if (!points.values.empty()) last[name] = points.values.back();
  return last;
}

std::string ClaimText::reference() const { return source.substr(0, source.find(']') + 1); }

ClaimVerdict ClaimResult::verdict() const {
  if (std::isnan(value)) return ClaimVerdict::no_value;
  if (text.refutes) return held ? ClaimVerdict::refuted : ClaimVerdict::not_refuted;
  return held ? ClaimVerdict::supported : ClaimVerdict::not_supported;
}

std::size_t keep_newest_arithmetic(std::vector<RunRecord>& runs) {
  int newest = 0;
  for (const RunRecord& run : runs) newest = std::max(newest, run.arithmetic);
  return std::erase_if(runs, [newest](const RunRecord& run) { return run.arithmetic != newest; });
}

}  // namespace fovea
