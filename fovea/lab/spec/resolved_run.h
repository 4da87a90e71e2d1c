// A run as types, beside its canonical text: what its spec says is read once, and its task and its model are made once.
// Whoever checks a run hands it on to whoever trains it.
#pragma once

#include <memory>

#include "fovea/lab/record/run_spec.h"

namespace fovea {

template <class T>
class Model;
template <class T>
class ParameterSet;
struct ProbeSettings;
class Task;
struct TaskShape;
struct TrainSettings;

class ResolvedRun {
 public:
  // As it is kept, or comes from another process. Each part is read or made when it is first asked for, and may then
  // throw wrong_input.
  ResolvedRun(RunSpec spec);
  // The settings of its training are read already.
  ResolvedRun(RunSpec spec, TrainSettings train);
  ResolvedRun(ResolvedRun&&) noexcept;
  ResolvedRun& operator=(ResolvedRun&&) noexcept;
  ~ResolvedRun();

  const RunSpec& spec() const { return spec_; }
  const TrainSettings& train();
  const ProbeSettings& probe();
  const Task& task();  // prepared for the seed
  const TaskShape& shape();
  template <class T>
  Model<T>& model();
  template <class T>
  const std::shared_ptr<ParameterSet<T>>& parameters();  // of its model, initialised

  // What changes no number of it, or names the same in another way.
  void use_one_thread();
  void set_interventions(ValueList interventions);

 private:
  struct Parts;
  template <class T>
  struct BuiltModel;
  template <class T>
  BuiltModel<T>& built();

  RunSpec spec_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace fovea
