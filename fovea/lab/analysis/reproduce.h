// Reproduces experiments: trains the missing runs of an experiment and tests its claims. `fovea reproduce`, the report
// and the Python package call it (room lab/analysis).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/lab/analysis/example_view.h"
#include "fovea/lab/analysis/measurement.h"
#include "fovea/lab/experiment/stages.h"
#include "fovea/lab/sweep/sweep.h"

namespace fovea {

// `notes` describe groups of runs (lab/experiment/stages.h). Claims that read these groups repeat the notes.
std::vector<ClaimResult> check_claims(const Experiment& experiment, Preset preset, const std::vector<RunRecord>& runs,
                                      const std::vector<std::string>& notes = {});

// Adds the texts of the experiment's claims to results from a store. A changed claim gets no text.
void add_texts(std::vector<ClaimResult>& results, const Experiment& experiment);

// The runs of an experiment, stage by stage, those that are missing made by sweep().
StagedRuns sweep_stages(Store& store, const Experiment& experiment, Preset preset,
                        const std::vector<Override>& overrides, const std::vector<Axis>& axes,
                        const SweepOptions& options);

struct Reproduction {
  Experiment experiment;
  Preset preset;
  std::vector<RunRecord> runs;
  std::vector<ClaimResult> claims;
  double seconds = 0;
  // What the runs are measured against (lab/experiment/baselines.h); those that keep the experiment's model are among
  // the runs, too.
  std::vector<RunRecord> baselines{};
  std::optional<Measures> measures{};   // once all of them are done
  std::vector<ExampleView> examples{};  // some examples as the reference run saw them, then
};

// Claims are checked when every run was reached, and kept unless overrides made it another experiment.
Reproduction reproduce(Store& store, const Experiment& experiment, Preset preset,
                       const std::vector<Override>& overrides, const SweepOptions& options);

// What the store knows of an experiment that was reproduced as it stands, in the form it was last reproduced in;
// nothing where it was not, or where it makes no claims.
std::optional<Reproduction> reproduced_before(const Store& store, const Experiment& experiment);

// The files of one's own whose claims the store knows, in the order of their names.
std::vector<std::string> reproduced_files(const Store& store);

}  // namespace fovea
