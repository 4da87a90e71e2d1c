// ResolvedRun: a run as types, beside its canonical text (room lab/spec). lab/experiment creates it, and passes it
// through sweeps to train() (lab/train/trainer.h). Its settings, interventions and probes are read once. Its task and
// model are made once.
#pragma once

#include <memory>

#include "fovea/lab/record/run_spec.h"

namespace fovea {

struct Interventions;
template <class T>
class Model;
template <class T>
class ParameterSet;
struct ProbeTable;
class Task;
struct TaskShape;
struct TrainSettings;

class ResolvedRun {
 public:
  // As it is kept, or comes from another process. Each part is read or made when it is first asked for, and may then
  // throw wrong_input.
  ResolvedRun(RunSpec spec);
  // The spec is read already.
  ResolvedRun(RunSpec spec, TrainSettings train, ProbeTable probe, Interventions interventions);
  ResolvedRun(ResolvedRun&&) noexcept;
  ResolvedRun& operator=(ResolvedRun&&) noexcept;
  ~ResolvedRun();

  const RunSpec& spec() const { return spec_; }
  const TrainSettings& train();
  ProbeTable& probe();
  Interventions& interventions();
  const Task& task();  // prepared for the seed
  const TaskShape& shape();
  template <class T>
  Model<T>& model();
  template <class T>
  const std::shared_ptr<ParameterSet<T>>& parameters();  // of its model, initialised

  // Changes no number of it.
  void use_one_thread();
  // Writes the interventions into the spec, after a change of how they name the same.
  void write_interventions();

  // Returns the run with all that was read and made. This one keeps its spec, and reads it again if it is asked.
  ResolvedRun hand_over();
  // Frees task and model. They are made again when they are next asked for.
  void drop_model();

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
