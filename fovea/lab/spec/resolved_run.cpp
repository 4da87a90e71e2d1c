#include "fovea/lab/spec/resolved_run.h"

#include <optional>
#include <utility>
#include <variant>

#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

template <class T>
struct ResolvedRun::BuiltModel {
  std::shared_ptr<ParameterSet<T>> parameters = std::make_shared<ParameterSet<T>>();
  std::unique_ptr<Model<T>> model;
};

struct ResolvedRun::Parts {
  std::optional<TrainSettings> train;
  std::optional<ProbeTable> probe;
  std::optional<Interventions> interventions;
  std::unique_ptr<Task> task;
  std::optional<TaskShape> shape;
  std::variant<std::monostate, BuiltModel<float>, BuiltModel<double>> model;
};

ResolvedRun::ResolvedRun(RunSpec spec) : spec_(std::move(spec)), parts_(std::make_unique<Parts>()) {}
ResolvedRun::ResolvedRun(RunSpec spec, TrainSettings train, ProbeTable probe, Interventions interventions)
    : ResolvedRun(std::move(spec)) {
  parts_->train = std::move(train);
  parts_->probe = std::move(probe);
  parts_->interventions = std::move(interventions);
}
ResolvedRun::ResolvedRun(ResolvedRun&&) noexcept = default;
ResolvedRun& ResolvedRun::operator=(ResolvedRun&&) noexcept = default;
ResolvedRun::~ResolvedRun() = default;

const TrainSettings& ResolvedRun::train() {
  if (!parts_->train) parts_->train = read_train(spec_.train);
  return *parts_->train;
}

ProbeTable& ResolvedRun::probe() {
  if (!parts_->probe) parts_->probe = read_probe(spec_.probe);
  return *parts_->probe;
}

Interventions& ResolvedRun::interventions() {
  if (!parts_->interventions) parts_->interventions = Interventions::parse(spec_.interventions);
  return *parts_->interventions;
}

const Task& ResolvedRun::task() {
  if (!parts_->task) parts_->task = make_task(spec_);
  return *parts_->task;
}

const TaskShape& ResolvedRun::shape() {
  if (!parts_->shape) parts_->shape = task().shape();
  return *parts_->shape;
}

template <class T>
ResolvedRun::BuiltModel<T>& ResolvedRun::built() {
  if (!std::holds_alternative<BuiltModel<T>>(parts_->model)) {
    BuiltModel<T> built;
    built.model = make_model<T>(spec_, shape(), *built.parameters);
    parts_->model = std::move(built);
  }
  return std::get<BuiltModel<T>>(parts_->model);
}

template <class T>
Model<T>& ResolvedRun::model() {
  return *built<T>().model;
}

template <class T>
const std::shared_ptr<ParameterSet<T>>& ResolvedRun::parameters() {
  return built<T>().parameters;
}

template Model<float>& ResolvedRun::model();
template Model<double>& ResolvedRun::model();
template const std::shared_ptr<ParameterSet<float>>& ResolvedRun::parameters();
template const std::shared_ptr<ParameterSet<double>>& ResolvedRun::parameters();

void ResolvedRun::use_one_thread() {
  if (const auto threads = spec_.train.find("threads"); threads != spec_.train.end())
    threads->second.data = std::int64_t{1};
  if (parts_->train) parts_->train->threads = 1;
}

void ResolvedRun::write_interventions() { spec_.interventions = interventions().write(); }

ResolvedRun ResolvedRun::hand_over() {
  ResolvedRun run(spec_);
  std::swap(run.parts_, parts_);
  return run;
}

void ResolvedRun::drop_model() {
  parts_->model = std::monostate();
  parts_->shape.reset();
  parts_->task.reset();
}

}  // namespace fovea
