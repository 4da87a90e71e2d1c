// The record of a run: its spec, state, metrics, series and arrays, as plain data. Training writes a RunRecord, the
// store keeps it, and analysis, figures, commands and the Python package read it (room lab/record).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/version.h"
#include "fovea/lab/record/run_spec.h"
#include "fovea/math/view.h"

namespace fovea {

struct Series {
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  bool operator==(const Series&) const = default;
};

// An array a probe named at one step (attention of a few examples, a trajectory, an image).
struct ArrayRecord {
  std::string name;
  std::int64_t step = 0;
  std::vector<Index> shape;
  std::vector<float> values;
};

// The arrays of a run by name, all steps of it, in order of step; of no name: all that there are.
using FetchArrays = std::function<std::vector<ArrayRecord>(std::int64_t run, const std::string& name)>;

// A parameter as it was at the end of training.
struct WeightRecord {
  std::string name;
  std::vector<Index> shape;
  std::string type;  // "F32" or "F64"
  std::vector<std::byte> bytes;
};

enum class RunState { running, done, stopped, failed };  // stopped: interrupted, can be resumed
std::string state_name(RunState state);

struct RunRecord {
  std::int64_t id = 0;  // 0 until stored
  std::string experiment;
  RunSpec spec;
  std::string hash;
  RunState state = RunState::running;
  std::string error;    // of a failed run
  std::string version;  // of the program
  int arithmetic = arithmetic_revision;
  std::string machine;  // processor, cores, instruction set
  std::string started;  // UTC, ISO 8601
  double seconds = 0;
  std::int64_t steps = 0;  // updates done
  std::map<std::string, Series> series;
  std::vector<ArrayRecord> arrays;
  std::vector<WeightRecord> weights;  // of a run that is done, where train.keep_weights says so
  std::vector<std::string> tags;      // the user's own words for it, sorted
  std::string note;                   // what the user has to say of it
  std::string removed;                // when it was put into the bin (UTC, ISO 8601); empty: it is not there

  // What the run is to an experiment of several stages, for its claims and figures: "stage", "group" and "kind"
  // (lab/experiment/stages.h). Not stored: the same run may be another thing to another experiment.
  ValueTable role;

  // The last value of each series.
  std::map<std::string, double> metrics() const;
};

// Removes runs of an older arithmetic than the newest one among them, so that medians are of one arithmetic. Returns
// how many it removed.
std::size_t keep_newest_arithmetic(std::vector<RunRecord>& runs);

// What an experiment file has on a claim beside its threshold. Without a title only formula, where and define are set.
struct ClaimText {
  struct Rival {
    std::string name;
    double value = 0;
    bool operator==(const Rival&) const = default;
  };
  std::string name;                                         // "permutations-slower"
  std::string title;                                        // a short sentence that stands alone
  std::string formula;                                      // the metric as written, with the names of definitions
  std::string where;                                        // Claim::where as written
  std::vector<std::pair<std::string, std::string>> define;  // those that formula and where use
  double null = 0;                                          // the metric's value if there is no effect
  std::string null_means;
  std::vector<Rival> rivals;  // simpler explanations, with their values
  bool refutes = false;       // the threshold states a source's sentence, which is expected to fail
  std::string control;        // of one that refutes: a claim of the file that must be supported
  std::string source;         // "[1], section 4"

  std::string reference() const;  // "[1]"
  bool operator==(const ClaimText&) const = default;
};

enum class ClaimVerdict { supported, not_supported, refuted, not_refuted, no_value };

struct ClaimResult {
  std::string experiment;
  std::string claim;  // Claim::says
  std::string metric;
  double value = 0;  // NaN when it could not be computed
  std::string wanted;
  bool held = false;     // supported or refuted, as the file expects
  std::string preset;    // "quick" or "full"
  std::string note;      // why there is no value, or what to know of the one there is
  std::string source{};  // Experiment::source: files of one name in two folders make claims of their own
  ClaimText text{};      // not stored: read from the experiment (lab/analysis/reproduce.h)

  ClaimVerdict verdict() const;
};

}  // namespace fovea
