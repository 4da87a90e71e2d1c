// Stages of an experiment: results of the first runs choose the next runs (room lab/experiment). read_experiment.cpp
// reads them, and lab/analysis/reproduce.h runs them.
//
//   sweep = { "model.heads" = "[0]..[39]", seed = "0..2" }            # stage 1: every head alone, three seeds each
//
//   [[stage]]                                                         # stage 2
//   combine = "model.heads"
//   kinds = [{ name = "good", when = "least(max_over(accuracy)) >= 0.95" }, …]
//   groups = [{ name = "7 bad and 1 good", take = { bad = 7, good = 1 } }, { name = "any 8", take = { any = 8 } }]
//   draws = 50
//   quick = { draws = 6 }                                             # keys that differ in the quick form
//
// Each value that `combine` has among the runs of the stage before is judged by all of its runs. It is of the first
// kind whose condition is true, or "other". A group is then drawn `draws` times: different combinations of different
// values, in the order of the sweep, put end to end. Draw i of each group is trained with the seed first_seed + i, so
// the groups are compared on the same data. The sweep's other axes stay.
//
// With `same_seed`, a value is judged for each seed alone. A seed's groups, `draws` of each, are drawn from its own
// verdicts and trained with it. This is for kinds that depend on the data of a seed. The draws depend on draw_seed,
// the group's name and the verdicts, and on nothing else, so an interrupted stage continues.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/record/record.h"

namespace fovea {

// Throws wrong_input with the location of the mistake.
Stage read_stage(const Value& table, Preset preset);

struct StagedRuns {
  // Of all stages, in order. In an experiment of several stages each has as its role the number of its `stage` (from
  // 1), the name of its `group` ("" in the first stage) and, once it was judged, its `kind` ("" before).
  // A run that was drawn for two groups is there twice.
  std::vector<RunRecord> runs;
  std::vector<std::string> notes;  // of groups that could not be drawn as they were asked for: one sentence each
  bool whole = false;              // every run of every stage was reached
};

// The records of these runs, in their order; those that cannot be had are left out.
using MakeRuns = std::function<std::vector<RunRecord>(std::vector<ResolvedRun> runs, std::size_t stage)>;

// A stage begins once every run of the one before is there and done. `first` are the runs of the first stage:
// resolve_sweep() of the arguments before.
StagedRuns run_stages(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                      const std::vector<Axis>& axes, std::vector<ResolvedRun> first, const MakeRuns& make);

}  // namespace fovea
