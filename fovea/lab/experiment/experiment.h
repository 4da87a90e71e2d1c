// An experiment: the content of an experiment file, and the runs that it defines (room lab/experiment). Commands,
// sweeps, the report and the Python package read experiments; the room only reads files and resolves specs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/error/value.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/experiment/axes.h"
#include "fovea/lab/experiment/claim.h"
#include "fovea/lab/experiment/preset.h"
#include "fovea/lab/record/run_spec.h"
#include "fovea/lab/spec/resolved_run.h"

namespace fovea {

// A figure of the experiment's runs. view/ has the kinds and their settings.
struct FigureSpec {
  std::string kind;  // "lines", "heatmap", "phase", "bars", …
  ValueTable settings;
  Location location;
};

// A later stage, whose runs are chosen by results of earlier runs (lab/experiment/stages.h).
struct Stage {
  struct Kind {
    std::string name;
    std::string when;  // condition over all the runs of one value: "least(max_over(accuracy)) >= 0.95"
    Location location;
  };
  struct Group {
    std::string name;
    std::map<std::string, std::int64_t> take;  // how many values of each kind; "any" alone: values of every kind
  };
  Location location;
  std::string combine;      // the setting whose values are judged, then combined
  std::vector<Kind> kinds;  // a value has the first kind whose condition it meets
  std::vector<Group> groups;
  std::int64_t draws = 0;       // combinations of each group
  std::int64_t draw_seed = 0;   // seed of the draws
  std::int64_t first_seed = 0;  // draw i is trained with seed first_seed + i
  bool same_seed = false;       // or with the seed of the judged values, each seed by itself
};

// A run that the experiment's own runs are measured against (lab/experiment/baselines.h).
struct Baseline {
  std::string name;
  ValueTable model, train, probe;             // replace the experiment's tables if they are not empty
  std::int64_t epochs = 0, quick_epochs = 0;  // 0: not given
  std::vector<Override> set, quick;           // override the settings of the experiment
  Location location;

  bool keeps_model() const { return model.empty(); }
};

struct Experiment {
  // The file's stem. A user's file with the stem of a shipped experiment and another content is another experiment: its
  // name is "copy-subset.toml", so that its runs and claims are not mixed with the shipped ones.
  std::string name;
  std::string source;  // the file's path; empty for a shipped experiment and for a copy of one
  std::string title;   // one line
  std::string idea;    // two sentences for the reader
  std::string system;  // chapter of the tour: "toy gate", "copying", …
  int order = 0;       // position in the tour
  ValueTable task, model, train, probe;
  ValueList interventions;
  std::uint64_t seed = 0;  // of a run, if no other setting gives one
  ValueTable quick;        // dotted settings that make the quick form; "sweep.KEY" replaces or adds an axis
  std::vector<Axis> sweep;
  std::vector<Stage> stages, quick_stages;  // after the sweep, one after the other
  std::vector<Baseline> baselines;          // after all stages
  std::int64_t draws = 0;                   // number of random draws
  std::int64_t draw_seed = 0;               // seed of the random draws
  Definitions definitions;                  // quantities that claims use
  std::vector<Claim> claims;
  std::vector<FigureSpec> figures;
  Location location;

  // The axes of a form, after quick's overrides. The seed is the last axis and changes fastest.
  std::vector<Axis> axes(Preset preset) const;
  const std::vector<Stage>& stages_of(Preset preset) const { return preset == Preset::quick ? quick_stages : stages; }
  std::int64_t draw_count(Preset preset) const;
  void set_draws(std::int64_t count);  // in every form
};

// Reads one experiment file, at most 1 MB. Throws wrong_input with file:line:column for broken TOML, unknown keys,
// wrong types. Names and settings of task, model and probes are checked when the run is resolved.
Experiment read_experiment(const std::filesystem::path& path);
Experiment parse_experiment(const std::string& toml, const std::string& file_name);
Experiment experiment_from_table(const ValueTable& table,
                                 const Location& location);  // the stem of location.file is its name

// A shipped experiment by name, or a file by path (anything with a '/' or ending in ".toml"). Unknown names throw
// wrong_input with the nearest known one. Shipped experiments are built into the library, so that the program works
// from any folder.
Experiment find_experiment(const std::string& name_or_path);
std::vector<std::string> experiment_names();  // shipped ones, in tour order
// The names in the order of their numbers, equal numbers in the order of the names.
std::vector<std::string> names_in_order(std::vector<std::pair<int, std::string>> numbered);

// The run at one point of the sweep. Checks everything against the registries (unknown names, wrong types, impossible
// values, task and model that do not fit) and fills in all defaults. An override of "seed" has priority over `seed`.
ResolvedRun resolve_run(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                        std::uint64_t seed);
// The same, for callers that need only the spec.
RunSpec resolve(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                std::uint64_t seed);

// All points of the experiment's sweep in one form (the product of its axes, the last running fastest), resolved.
// `axes` replace the experiment's own of the same key, and so do overrides (lab/experiment/sweep_plan.h).
std::vector<ResolvedRun> resolve_sweep(const Experiment& experiment, Preset preset,
                                       const std::vector<Override>& overrides, const std::vector<Axis>& axes = {});

}  // namespace fovea
