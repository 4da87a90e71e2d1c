#include "fovea/lab/spec/resolved_run.h"

#include <optional>
#include <utility>
#include <variant>

#include "fovea/lab/spec/assembly.h"

namespace fovea {

template <class T>
struct ResolvedRun::BuiltModel {
  std::shared_ptr<ParameterSet<T>> parameters = std::make_shared<ParameterSet<T>>();
  std::unique_ptr<Model<T>> model;
};

struct ResolvedRun::Parts {
  std::optional<TrainSettings> train;
  std::optional<ProbeSettings> probe;
  std::unique_ptr<Task> task;
  std::optional<TaskShape> shape;
  std::variant<std::monostate, BuiltModel<float>, BuiltModel<double>> model;
};

ResolvedRun::ResolvedRun(RunSpec spec) : spec_(std::move(spec)), parts_(std::make_unique<Parts>()) {}
ResolvedRun::ResolvedRun(RunSpec spec, TrainSettings train) : ResolvedRun(std::move(spec)) {
  parts_->train = std::move(train);
}
ResolvedRun::ResolvedRun(ResolvedRun&&) noexcept = default;
ResolvedRun& ResolvedRun::operator=(ResolvedRun&&) noexcept = default;
ResolvedRun::~ResolvedRun() = default;

const TrainSettings& ResolvedRun::train() {
  if (!parts_->train) parts_->train = read_train(spec_.train);
  return *parts_->train;
}

const ProbeSettings& ResolvedRun::probe() {
  if (!parts_->probe) parts_->probe = read_probe(spec_.probe);
  return *parts_->probe;
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

void ResolvedRun::set_interventions(ValueList interventions) { spec_.interventions = std::move(interventions); }

}  // namespace fovea
