#include "fovea/lab/record/record.h"

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

}  // namespace fovea
