// Probe: the interface of measurements of a model (room probe). The Evaluator (lab/train) calls probes at each
// evaluation. A probe reads model, batch and outcome, and names its numbers and arrays. It changes nothing, and does
// not depend on its caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"
#include "fovea/data/task.h"
#include "fovea/model/model.h"

namespace fovea {

// A parameter as probes see it.
struct ParameterView {
  std::string name;
  std::vector<Index> shape;
  Group group;
  std::span<const float> values;
};

// What a probe is shown. `batch` holds examples of the split that probes look at (validation, if the spec does not
// say otherwise) and `outcome` what the model made of them in evaluation mode (attention as the model's own rule
// has it, or, where a probe is asked once more, a hold).
struct Evaluation {
  std::int64_t step = 0;  // updates done so far
  bool first = false, last = false;
  double train_loss = 0;  // of the update before this evaluation; NaN before the first
  double time = 0;        // sum of the learning rates of the updates done: the time of gradient flow
  const Task& task;
  const Batch& batch;
  const Outcome<float>& outcome;
  Cube<const float> beta;         // filled when a probe of the run wants it
  Cube<const float> states = {};  // (B, positions, width), likewise
  std::span<const ParameterView> parameters;

  const ParameterView& parameter(std::string_view name) const;  // throws failure if there is none
};

// Takes what probes say.
class Readings {
 public:
  virtual ~Readings() = default;
  virtual void number(const std::string& name, double value) = 0;  // a point of the series `name` at this step
  virtual void array(const std::string& name, const std::vector<Index>& shape, std::span<const float> values) = 0;
};

// Which examples a probe is shown: new ones at every evaluation; the first of the split at every one; or, where
// attention is kept, the few whose attention it is (of the test split where it has any).
enum class Examples { fresh, same, kept };

class SurveyProbe;

class Probe {
 public:
  virtual ~Probe() = default;

  virtual SurveyProbe* as_survey() { return nullptr; }  // probe/survey.h

  virtual void settings(Fields&) {}

  // Called when the spec of a new run is completed, as Task::pin.
  virtual void pin() {}

  // Called when the spec is checked, and again before training. Throws wrong_input where the task or model has nothing
  // to measure, saying what it needs.
  virtual void prepare(const TaskShape&, bool /*model_attends*/, std::uint64_t /*seed*/) {}

  virtual bool wants_beta() const { return false; }
  virtual bool needs_beta() const { return false; }   // it measures nothing where the model has none
  virtual bool needs_truth() const { return false; }  // or where the task does not say where attention belongs
  virtual bool wants_states() const { return false; }
  virtual Examples examples() const { return Examples::fresh; }
  // Whether its numbers depend on where attention goes: then it is asked twice while attention is held, of the model as
  // it attends by itself, and under the hold. A probe that carries something to the next evaluation must be asked once.
  virtual bool differs_under_hold() const { return memory().empty(); }
  virtual void measure(const Evaluation& evaluation, Readings& readings) = 0;

  // What it carries from one evaluation to the next, so that a run can go on in another process. remember() is called
  // after prepare(), with what memory() said; false where that is not what this probe says.
  virtual std::vector<double> memory() const { return {}; }
  virtual bool remember(std::span<const double> memory) { return memory.empty(); }
};

// Probes that a program brings along, such as functions of Python. A spec names one by the program's language, the
// function and a digest of its source: "python mine.gap 9f86d081884c7d65".
class ProgramProbes {
 public:
  virtual ~ProgramProbes() = default;
  // Throws wrong_input where the program has no such function.
  virtual std::unique_ptr<Probe> make(const std::string& name, const Location& location) const = 0;
};

// A probe of the registry, or one that this program brings along.
std::unique_ptr<Probe> make_probe(const std::string& name, const Location& location = {});

}  // namespace fovea
