#include "fovea/lab/assembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/lab/embeddings.h"
#include "fovea/lab/expression.h"

namespace fovea {

namespace {

std::string name_of(const ValueTable& table, const std::string& what) {
  const auto found = table.find("name");
  const std::string* const name = found == table.end() ? nullptr : found->second.as<std::string>();
  if (!name)
    throw wrong_input(fmt::format("the {} has no name", what),
                      fmt::format("`fovea list {}s` shows what there is", what));
  return *name;
}

// A part knows what is wrong, its spec knows where.
template <class Work>
auto placed(const Place& place, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::wrong_input || error.place().known()) throw;
    throw wrong_input(error.problem(), error.remedy(), place);
  }
}

// "keyword, copy": the models that take what a task gives.
std::string models_that_take(Kind kind) {
  std::string names;
  for (const auto& [name, entry] : Registry<Model<float>>::instance().all())
    if (entry.make()->takes() == kind) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

Place place_in(const ValueTable& table, const std::string& key) {
  const auto found = table.find(key);
  return found == table.end() ? Place{} : found->second.place;
}

std::unique_ptr<Task> make_task(const RunSpec& spec) {
  const std::string name = name_of(spec.task, "task");
  const Place place = place_in(spec.task, "name");
  std::unique_ptr<Task> task = Registry<Task>::instance().make(name, "task", place);
  Fields fields;
  task->settings(fields);
  fields.read(spec.task, fmt::format("task '{}'", name), {"name"});
  placed(place, [&] { task->prepare(spec.seed); });
  return task;
}

template <class T>
std::unique_ptr<Model<T>> make_model(const RunSpec& spec, const TaskShape& shape, ParameterSet<T>& parameters) {
  const std::string name = name_of(spec.model, "model");
  const Place place = place_in(spec.model, "name");
  std::unique_ptr<Model<T>> model = Registry<Model<T>>::instance().make(name, "model", place);
  Fields fields;
  model->settings(fields);
  fields.read(spec.model, fmt::format("model '{}'", name), {"name"});
  if (model->takes() != shape.kind) {
    const std::string others = models_that_take(shape.kind);
    throw wrong_input(fmt::format("model '{}' takes {}, and task '{}' gives {}", name, kind_name(model->takes()),
                                  name_of(spec.task, "task"), kind_name(shape.kind)),
                      others.empty() ? "take another task" : "models for this task: " + others, place);
  }
  placed(place, [&] { model->build(shape, parameters); });
  parameters.finish();
  parameters.initialise(spec.start());
  return model;
}

template std::unique_ptr<Model<float>> make_model(const RunSpec&, const TaskShape&, ParameterSet<float>&);
template std::unique_ptr<Model<double>> make_model(const RunSpec&, const TaskShape&, ParameterSet<double>&);

TrainSettings read_train(const ValueTable& table) {
  TrainSettings train;
  Fields fields;
  train.settings(fields);
  fields.read(table, "train");
  if (!train.stop_when.empty())
    Expression::parse(train.stop_when, place_in(table, "stop_when")).require_single_run().require_condition();
  return train;
}

void check_interventions(const Interventions& interventions, const Grounds& grounds, const RunSpec& spec) {
  const std::string model = name_of(spec.model, "model");
  for (const Hold& hold : interventions.holds) {
    if (!grounds.attends)
      throw wrong_input(fmt::format("attention can not be held: model '{}' has none here", model),
                        "drop the intervention", hold.place);
    if (hold.attend == Attend::truth && !grounds.truth)
      throw wrong_input(fmt::format("attention can not be held at the truth: task '{}' does not know where it belongs",
                                    name_of(spec.task, "task")),
                        "hold it uniform, or take a task that knows", hold.place);
  }
  const auto refuse = [&](Group group, const Place& place) {
    if (group == Group::attention && !grounds.attention_parameters)
      throw wrong_input(fmt::format("model '{}' has no attention parameters here", model), "drop the intervention",
                        place);
  };
  for (const Freeze& freeze : interventions.freezes) refuse(freeze.group, freeze.place);
  for (const OwnRate& rate : interventions.rates) refuse(rate.group, rate.place);
  for (const Clamp& clamp : interventions.clamps)
    if (std::ranges::find(grounds.parameters, clamp.parameter) == grounds.parameters.end())
      throw wrong_input(fmt::format("model '{}' has no parameter '{}' here", model, clamp.parameter),
                        suggest_name(clamp.parameter, grounds.parameters), clamp.place);
}

void prepare_probes(std::vector<NamedProbe>& probes, const RunSpec& spec, const TaskShape& shape, bool attends) {
  std::erase_if(probes, [&](NamedProbe& named) {
    try {
      placed(place_in(spec.probe, "names"), [&] { named.probe->prepare(shape, attends, spec.seed); });
      return false;
    } catch (const Error& error) {
      if (!named.where_able || error.kind() != Error::Kind::wrong_input) throw;
      return true;
    }
  });
}

void check_fit(const RunSpec& spec) {
  const std::unique_ptr<Task> task = make_task(spec);
  const TaskShape shape = task->shape();
  ParameterSet<float> parameters;
  const std::unique_ptr<Model<float>> model = make_model<float>(spec, shape, parameters);
  Batch batch;
  task->batch(Split::validation, 0, 1, batch);
  Arena arena;
  Team team;
  Compute compute{arena, team};
  const Outcome<float> outcome =
      placed(place_in(spec.model, "name"), [&] { return model->forward(compute, batch, {}); });
  Grounds grounds;
  grounds.attends = !outcome.attention.empty();
  grounds.truth = !batch.alignment.empty() || !batch.marked.empty();
  for (const Param<float>& p : parameters.all()) {
    grounds.attention_parameters |= p.group == Group::attention;
    grounds.parameters.push_back(p.name);
  }
  const Interventions interventions = Interventions::parse(spec.interventions);
  check_interventions(interventions, grounds, spec);
  (void)Embeddings<float>(interventions.embeds, *task, parameters);
  ProbeSettings settings;
  std::vector<NamedProbe> probes = make_probes(spec.probe, settings);
  prepare_probes(probes, spec, shape, grounds.attends);
}

}  // namespace fovea
