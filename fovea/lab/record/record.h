// What a run leaves behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

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

struct ClaimResult {
  std::string experiment;
  std::string claim;  // Claim::says
  std::string metric;
  double value = 0;  // NaN when it could not be computed
  std::string wanted;
  bool held = false;
  std::string preset;    // "quick" or "full"
  std::string note;      // why there is no value, or what to know of the one there is
  std::string source{};  // Experiment::source: files of one name in two folders make claims of their own
};

}  // namespace fovea
