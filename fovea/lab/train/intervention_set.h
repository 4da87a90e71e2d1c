// What is changed in a training, and when. The trainer asks at fixed places:
//
//   start(step)           before the first update:  clamps, transplants
//   rules(step)           before an evaluation:     the rules of attention that are in force
//   plan(step)            before an update:         holds, freezes, rates; and what a watcher changes of them
//   after_update(step)    after an update:          clamps, frozen embeddings, transplants of the next step
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "fovea/data/task.h"
#include "fovea/lab/record/run_spec.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/spec/intervention.h"
#include "fovea/lab/spec/start_vectors.h"
#include "fovea/lab/train/step_watcher.h"
#include "fovea/lab/train/transplant.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
class InterventionSet {
 public:
  // The watcher may be nullptr.
  InterventionSet(const RunSpec& spec, const TrainSettings& train, ParameterSet<T>& parameters, Watcher* watcher);

  // Puts start vectors in and reads the weights to be transplanted (from this folder). Throws wrong_input for what
  // cannot be done here, and for what would change nothing.
  void prepare(const Capabilities& capabilities, const Task& task, const std::filesystem::path& weights);

  // Whether attention may be held at some step.
  bool may_hold() const { return watcher_ || !declared_.holds.empty() || !declared_.heads.empty(); }
  void start(std::int64_t step, bool resumed) const;
  // Of each parameter, which of the names that are ever frozen it belongs to (nn/optimizer/optimizer.h).
  std::vector<std::uint64_t> names_of_parameters() const;
  // How update `step` is made: as declared, unless the watcher changes it, who is asked once for each.
  const StepPlan& plan(std::int64_t step);
  // The rules of attention when `step` updates are done: as in the update to come; after the last one, of which nobody is
  // asked, as declared, or as a watcher had them then. Good until the next call.
  AttentionRules rules(std::int64_t step, bool update_follows);
  void after_update(std::int64_t step) const;

  // The share of the vocabulary that start vectors were found for; nothing where there are none.
  std::optional<double> embeddings_found() const;

 private:
  Paces paces(std::int64_t step) const;
  void let_change(StepPlan& plan) const;
  void keep_clamped(std::int64_t step) const;

  const RunSpec& spec_;
  const TrainSettings& train_;
  ParameterSet<T>& parameters_;
  Watcher* watcher_;
  Interventions declared_;
  Capabilities capabilities_;
  std::optional<Embeddings<T>> embeddings_;
  std::optional<Transplants<T>> transplants_;
  std::vector<ScopedRule> rules_now_;  // as declared, when they were asked for last
  StepPlan standing_;                  // as declared, from standing_.step on
  std::int64_t standing_ends_ = -1;    // and before this step
  std::optional<StepPlan> plan_;       // of the newest update asked for
};

}  // namespace fovea
