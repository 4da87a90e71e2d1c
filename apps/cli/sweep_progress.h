// SweepDisplay and RunDisplay: what is shown while runs are trained, and the options for it (folder apps/cli). `fovea
// run`, `sweep` and `reproduce` use them. They write to stderr.
#pragma once

#include <string>

#include "apps/cli/experiment_words.h"
#include "apps/cli/progress.h"
#include "fovea/lab/ranks/ranks.h"
#include "fovea/lab/sweep/sweep.h"

namespace fovea::cli {

// Of many runs: how many are where, and those in training. With ranks, they are the ones who train.
class SweepDisplay {
 public:
  SweepDisplay(const ExperimentWords& words, Ranks* ranks) : words_(words), ranks_(ranks), lines_(words.quiet) {}
  SweepOptions options();

 private:
  void show(const SweepProgress& progress);

  const ExperimentWords& words_;
  Ranks* ranks_;
  LiveLines lines_;
};

// Of one run: its steps.
class RunDisplay {
 public:
  explicit RunDisplay(const ExperimentWords& words) : words_(words), progress_("steps", words.quiet) {}
  SweepOptions options();

 private:
  const ExperimentWords& words_;
  Progress progress_;
};

// "20 done, 3 found, 1 failed, 12 left": what is not there is not named.
std::string counts_text(const SweepProgress& progress);

// The runs found in the store that another version of the program made, in a sentence; empty if there are none.
std::string other_versions_text(const SweepProgress& progress);

}  // namespace fovea::cli
