// Experiments in stages: what the first runs come to decides which runs come next.
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
// Each value that `combine` has among the runs of the stage before is judged by all of its runs, and is of the first
// kind whose condition holds, or "other". A group is then drawn `draws` times: different combinations of different
// values, in the order in which the sweep has them, put end to end. Draw i of each group is trained with the seed
// first_seed + i, so that the groups are compared on the same data; the sweep's other axes stay. With `same_seed` what
// a value comes to is asked of each seed by itself, and a seed's groups, `draws` of each, are drawn from its own
// verdicts and trained with it: for kinds that are of a value on given data, not on whatever data. What is drawn
// depends on draw_seed, the group's name and the verdicts, and on nothing else, so a stage that was interrupted goes
// on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/record/record.h"

namespace fovea {

// Throws wrong_input with the location of what is wrong.
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
