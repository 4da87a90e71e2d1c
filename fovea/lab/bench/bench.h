// How fast this machine trains: steps per second of a spec, the best rate of matrix products beside it, and what the
// experiments would take.
//
// Steps are timed where they are made, in the trainer: a batch is drawn, passed forward and backward, and the
// parameters move. Probes do not look meanwhile; what they take is timed apart.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/lab/bench/step_cost.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/math/products.h"

namespace fovea {

// The systems of bench/systems, in their order; and one of them, or any experiment, by name or path.
std::vector<std::string> bench_system_names();
Experiment find_bench_system(const std::string& name_or_path);

struct BenchWatch {
  std::function<void(double share)> progress;  // of this measurement, 0 to 1; on the calling thread
  const std::atomic<bool>* stop = nullptr;     // ends it early; what was seen until then is returned
};

// Steps per second over windows of a run that has warmed up. 0 where a stop came before the first window.
struct StepRate {
  double median = 0, slowest = 0, fastest = 0;
  std::int64_t steps = 0;  // that were timed
  double seconds = 0;
  double processor_seconds = 0;  // of all threads; more than seconds times threads it cannot be, less where others ran
};
StepRate time_training(const RunSpec& spec, double seconds, const BenchWatch& watch = {});

// What probes and recorder take of a run as long as the spec says, by a part of it of about `seconds`; 0 each for a run
// without steps.
struct LookShare {
  double probes = 0, recorder = 0;
};
LookShare look_share(const RunSpec& spec, double seconds, const BenchWatch& watch = {});

// The best rate of products of float matrices, in operations per second, over a few shapes of our models and the
// library's ways to multiply; each of `threads` threads has matrices of its own.
double best_product_rate(Products products, int threads, double seconds, const BenchWatch& watch = {});

// Their relative error beside double: the root of the mean square over that of the product.
double product_error(Products products);

// What all runs of an experiment would take, one after another on one thread.
struct ExperimentTime {
  std::string name;
  std::int64_t runs = 0, steps = 0;
  double seconds = 0;
  std::string unknown;  // why there is no time: data that are not there
};

// Times short runs whole. Of longer ones it times the start, a look of the probes, and a step: of the run that computes
// most, and others' steps count by their operations, also those of later experiments with the same task and model. Runs
// that may end early (stop_when) are counted as if they did not.
class Projection {
 public:
  ExperimentTime of(const Experiment& experiment, Preset preset, double seconds, const BenchWatch& watch = {});

 private:
  // Of a run, by what its cost depends on.
  struct Known {
    double start = 0;       // seconds: task, model and the first batch
    double operations = 1;  // of a step
  };
  const Known& known(const RunSpec& spec);
  double step_seconds(const RunSpec& spec, double seconds, const BenchWatch& watch);

  std::map<std::string, Known> known_;   // by the spec without its seed
  std::map<std::string, double> paces_;  // seconds an operation, by task and model
  std::string task_text_;                // of task_, so that runs on the same task draw it once
  std::unique_ptr<Task> task_;
  double task_start_ = 0;
};

}  // namespace fovea
