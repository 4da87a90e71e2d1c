// The progress bar of a sweep, and the options that feed it.
#pragma once

#include "apps/cli/experiment_words.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/progress.h"
#include "fovea/lab/reproduce.h"

namespace fovea::cli {

class SweepBar {
 public:
  explicit SweepBar(bool quiet) : progress_("runs", quiet) {}

  SweepOptions options(const ExperimentWords& words) {
    SweepOptions options;
    options.jobs = words.jobs;
    options.fresh = words.again;
    options.stop = interrupt_flag();
    options.progress = [this](const SweepProgress& p) {
      progress_.show(static_cast<double>(p.done + p.reused + p.failed), static_cast<double>(p.total), p.now);
    };
    return options;
  }

 private:
  Progress progress_;
};

}  // namespace fovea::cli
