// InterventionSet: the interventions of a training, from its spec and from a watcher (room lab/train). The TrainLoop
// and the Evaluator call it. It calls the hooks of each intervention (lab/intervention/intervention.h), joins their
// wishes, and may change parameters. Those of the watcher act beside those of the spec as if one spec had declared all
// that are in force: by rank, and a contradiction is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/spec/resolved_run.h"
#include "fovea/lab/train/step_watcher.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
class InterventionSet {
 public:
  // The run and its parameters outlive it. The watcher may be nullptr.
  InterventionSet(ResolvedRun& run, ParameterSet<T>& parameters, Watcher* watcher);

  // Checks and prepares what the spec declares; weights of other runs lie in this folder. Throws wrong_input for what
  // cannot be done here, and for what would change nothing.
  void prepare(const Capabilities& capabilities, const Task& task, const std::filesystem::path& weights);

  // Whether attention may follow a rule at some step.
  bool may_hold() const { return watcher_ || declared_.act_on_attention(); }
  // Before the first update and evaluation.
  void start(std::int64_t step, bool resumed);
  // Of each parameter, which of the names that are ever frozen it belongs to (nn/optimizer/optimizer.h).
  std::vector<std::uint64_t> names_of_parameters() const;
  // How update `step` is made. A watcher is asked once for each.
  const StepPlan& plan(std::int64_t step);
  // The rules of attention when `step` updates are done: as in the update to come; after the last one, of which
  // nobody is asked, as the spec declares, and as a watcher had them then. Good until the next call.
  AttentionRules rules(std::int64_t step, bool update_follows);
  void after_update(std::int64_t step);

  Shares shares() const;

 private:
  void ask_watcher(std::int64_t step);
  void take(std::int64_t step, const ValueList& asked);
  void find_in_force(std::int64_t step);
  void fill(StepPlan& plan, std::int64_t step);

  const std::uint64_t seed_;
  const double rate_;
  ParameterSet<T>& parameters_;
  Watcher* watcher_;
  Interventions& declared_;
  ValueList asked_list_;  // of the watcher, for the newest update
  Interventions asked_;   // the same
  std::vector<Intervention*> in_force_;
  std::vector<Intervention*> checked_;  // those in force that were last checked against each other
  std::vector<std::string> frozen_names_;
  Capabilities capabilities_;
  std::optional<std::int64_t> planned_;
  StepPlan plan_;        // of update planned_
  StepPlan evaluation_;  // of the newest evaluation before which nobody was asked
};

}  // namespace fovea
