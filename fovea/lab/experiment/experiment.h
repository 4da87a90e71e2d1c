// An experiment: what a person writes in a file, and the runs that it asks for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// A figure to draw from the experiment's runs; view/ knows the kinds and their settings.
struct FigureSpec {
  std::string kind;  // "lines", "heatmap", "phase", "bars", …
  ValueTable settings;
  Place place;
};

// Runs that are chosen by what the runs before them came to (lab/experiment/stages.h).
struct Stage {
  struct Kind {
    std::string name;
    std::string when;  // over all the runs of one value: "least(max_over(accuracy)) >= 0.95"
    Place place;
  };
  struct Group {
    std::string name;
    std::map<std::string, std::int64_t> take;  // how many of which kind; "any" alone: whatever their kind
  };
  Place place;
  std::string combine;      // the setting whose values are judged, then put together
  std::vector<Kind> kinds;  // a value is of the first kind that it meets
  std::vector<Group> groups;
  std::int64_t draws = 0;       // combinations of each group
  std::int64_t draw_seed = 0;   // what they are drawn from
  std::int64_t first_seed = 0;  // draw i is trained with seed first_seed + i
  bool same_seed = false;       // or with the seed that its values were judged on, each seed by itself
};

// A run that the experiment's own are measured against (lab/experiment/baselines.h).
struct Baseline {
  std::string name;
  ValueTable model, train, probe;             // in place of the experiment's, where they are not empty
  std::int64_t epochs = 0, quick_epochs = 0;  // 0: none are said
  std::vector<Override> set, quick;           // over what it has from the experiment
  Place place;

  bool keeps_model() const { return model.empty(); }
};

struct Experiment {
  // The file's stem. A file that has the stem of a shipped experiment and says something else is another experiment: it
  // is called "copy-subset.toml", so that its runs and claims are not taken for those of the shipped one.
  std::string name;
  std::string source;  // the file's path; empty for a shipped experiment and for a copy of one
  std::string title;   // one line
  std::string idea;    // two sentences for the reader
  std::string system;  // chapter of the tour: "toy gate", "copying", …
  int order = 0;       // place in the tour
  ValueTable task, model, train, probe;
  ValueList interventions;
  std::uint64_t seed = 0;  // of a run when nothing else names one
  ValueTable quick;        // dotted settings that make the quick form; "sweep.KEY" replaces or adds an axis
  std::vector<Axis> sweep;
  std::vector<Stage> stages, quick_stages;  // after the sweep, one after the other
  std::vector<Baseline> baselines;          // after all stages
  std::int64_t draws = 0;                   // how often what is drawn at random is drawn
  std::int64_t draw_seed = 0;               // and what it is drawn from
  Definitions definitions;                  // quantities that claims are written in
  std::vector<Claim> claims;
  std::vector<FigureSpec> figures;
  Place place;

  // The axes of a form, after quick's overrides; seed is the last and so runs fastest.
  std::vector<Axis> axes(Preset preset) const;
  const std::vector<Stage>& stages_of(Preset preset) const { return preset == Preset::quick ? quick_stages : stages; }
  std::int64_t draw_count(Preset preset) const;
  void set_draws(std::int64_t count);  // in every form
};

// Reads one experiment file, at most 1 MB. Throws wrong_input with file:line:column for broken TOML, unknown keys,
// wrong types. Names and settings of task, model and probes are checked when the run is resolved.
Experiment read_experiment(const std::filesystem::path& path);
Experiment parse_experiment(const std::string& toml, const std::string& file_name);
Experiment experiment_from_table(const ValueTable& table, const Place& place);  // the stem of place.file is its name

// A shipped experiment by name, or a file by path (anything with a '/' or ending in ".toml"). Unknown names throw
// wrong_input with the nearest known one. Shipped experiments are built into the library, so that the program works
// from any folder.
Experiment find_experiment(const std::string& name_or_path);
std::vector<std::string> experiment_names();  // shipped ones, in tour order

// The run at one point of the sweep: checks everything against the registries (unknown names, wrong types, impossible
// values, task and model that do not fit) and fills in all defaults. An override of "seed" goes before `seed`.
ResolvedRun resolve_run(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                        std::uint64_t seed);
// The same for who wants its spec alone.
RunSpec resolve(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                std::uint64_t seed);

// All points of the experiment's sweep in one form (the product of its axes, the last running fastest), resolved.
// `axes` replace the experiment's own of the same key, and so do overrides (lab/experiment/sweep_plan.h).
std::vector<ResolvedRun> resolve_sweep(const Experiment& experiment, Preset preset,
                                       const std::vector<Override>& overrides, const std::vector<Axis>& axes = {});

}  // namespace fovea
