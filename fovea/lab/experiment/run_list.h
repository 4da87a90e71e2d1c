// RunList: the runs of a sweep, in their order (room lab/experiment). A sweep plan (lab/experiment/sweep_plan.h)
// makes them. lab/sweep trains them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fovea/lab/spec/resolved_run.h"

namespace fovea {

// Makes each run when it is asked for, so that a million runs need not be in memory.
class RunList {
 public:
  virtual ~RunList() = default;
  virtual std::size_t size() const = 0;
  virtual ResolvedRun at(std::size_t index) const = 0;
  virtual std::string label(std::size_t index) const = 0;  // "seed 3", what tells it from the others
};

// Runs that were resolved before. Each is handed over with what it has read and made; asked for again, it is another
// one of the same spec. The list must outlive this.
class ResolvedRuns final : public RunList {
 public:
  explicit ResolvedRuns(std::vector<ResolvedRun>& runs) : runs_(runs) {}
  std::size_t size() const override { return runs_.size(); }
  ResolvedRun at(std::size_t index) const override { return runs_[index].hand_over(); }
  std::string label(std::size_t index) const override { return "seed " + std::to_string(runs_[index].spec().seed); }

 private:
  std::vector<ResolvedRun>& runs_;
};

}  // namespace fovea
