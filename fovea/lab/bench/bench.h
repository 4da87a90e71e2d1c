// Measures how fast this machine trains: steps per second of a spec, the best rate of matrix products for comparison,
// and the projected time of the experiments. `fovea bench` calls it (room lab/bench).
//
// Steps are timed in the trainer: drawing a batch, forward and backward pass, and the update. Probes are timed
// separately.
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
  const std::atomic<bool>* stop = nullptr;     // ends it early; the measurements until then are returned
};

// Steps per second over windows of a warmed-up run. 0 if it was stopped or failed before the first window.
struct StepRate {
  double median = 0, slowest = 0, fastest = 0;
  std::int64_t steps = 0;  // number of timed steps
  double seconds = 0;
  std::string failure;           // why the training ended; empty: it did not fail
  double processor_seconds = 0;  // of all threads; more than seconds times threads it cannot be, less where others ran
};
StepRate time_training(const RunSpec& spec, double seconds, const BenchWatch& watch = {});

// The shares of probes and recorder in the time of a run as long as the spec says, measured on about `seconds` of it.
// Both are 0 for a run without steps.
struct EvaluationShare {
  double probes = 0, recorder = 0;
};
EvaluationShare evaluation_share(const RunSpec& spec, double seconds, const BenchWatch& watch = {});

// The best rate of products of float matrices, in operations per second, over a few shapes of our models and the
// library's kernels. Each of `threads` threads has its own matrices.
double best_product_rate(Products products, int threads, double seconds, const BenchWatch& watch = {});

// The relative error of such products against double: the root of the mean squared error, divided by the root mean
// square of the product.
double product_error(Products products);

// The time of all runs of an experiment, one after another on one thread.
struct ExperimentTime {
  std::string name;
  std::int64_t runs = 0, steps = 0;
  double seconds = 0;
  std::string unknown;  // why there is no time, such as missing data
};

// Times short runs completely. For longer runs, it times the start, an evaluation and a step of the run with most
// operations. The steps of other runs are scaled by their operations, also in later experiments with the same task and
// model. Runs that may end early (stop_when) count in full.
class Projection {
 public:
  ExperimentTime of(const Experiment& experiment, Preset preset, double seconds, const BenchWatch& watch = {});

 private:
  // The costs of a run, by the settings that determine them.
  struct Known {
    double start = 0;       // seconds: task, model and the first batch
    double operations = 1;  // of a step
  };
  const Known& known(const RunSpec& spec);
  double step_seconds(const RunSpec& spec, double seconds, const BenchWatch& watch);

  std::map<std::string, Known> known_;   // by the spec without its seed
  std::map<std::string, double> paces_;  // seconds per operation, by task and model
  std::string task_text_;                // of task_, so that runs on the same task prepare it once
  std::unique_ptr<Task> task_;
  double task_start_ = 0;
};

}  // namespace fovea
