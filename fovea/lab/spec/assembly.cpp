#include "fovea/lab/spec/assembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/query/expression.h"

namespace fovea {

namespace {

std::string name_of(const ValueTable& table, const std::string& what) {
  const auto found = table.find("name");
  const std::string* const name = found == table.end() ? nullptr : found->second.as<std::string>();
  if (!name) throw wrong_input(fmt::format("the {} has no name", what), Remedy::list_parts(what + "s"));
  return *name;
}

// The location of the one setting that was given beside the spec; unknown where there are others, or none.
Location given_alone(const ValueTable& settings) {
  Location location;
  for (const auto& [name, value] : settings) {
    if (value.location.kind != Location::Kind::setting) continue;
    if (location.known()) return {};
    location = value.location;
  }
  return location;
}

// A part knows what is wrong, and which of its settings; its spec knows where that stands. Where two settings do not go
// together, it is the one that was changed.
template <class Work>
auto placed(const Location& location, Work&& work, const ValueTable& settings = {}) {
  try {
    return work();
  } catch (const Error& error) {
    const Location& said = error.location();
    if (error.kind() != Error::Kind::wrong_input || (said.known() && said.kind != Location::Kind::setting)) throw;
    Location known = location_in(settings, said.file);
    if (!known.known()) known = given_alone(settings);
    throw wrong_input(error.problem(), error.remedy(), known.known() ? known : location);
  }
}

// "keyword, copy": the models that take what a task gives.
std::string models_that_take(Kind kind) {
  std::string names;
  for (const auto& [name, entry] : Registry<Model<float>>::instance().all())
    if (entry.make()->takes() == kind) names += (names.empty() ? "" : ", ") + name;
  return names;
}

// A few queries tell of all of them whether they fit, and a pass over many keys takes as long as all of these.
void ask_less(Batch& batch) {
  constexpr int enough = 16;
  if (batch.queries.columns <= enough) return;
  for (Items* items : {&batch.queries, &batch.answers}) {
    if (items->columns <= enough) continue;
    items->columns = enough;
    items->lengths.assign(items->lengths.size(), enough);
    items->values.resize(static_cast<std::size_t>(enough) * static_cast<std::size_t>(items->width));
  }
}

}  // namespace

Location location_in(const ValueTable& table, const std::string& key) {
  const auto found = table.find(key);
  return found == table.end() ? Location{} : found->second.location;
}

std::unique_ptr<Task> make_task(const RunSpec& spec) {
  const std::string name = name_of(spec.task, "task");
  const Location location = location_in(spec.task, "name");
  std::unique_ptr<Task> task = Registry<Task>::instance().make(name, "task", location);
  Fields fields;
  task->settings(fields);
  fields.read(spec.task, fmt::format("task '{}'", name), {"name"});
  placed(location, [&] { task->prepare(spec.seed); }, spec.task);
  return task;
}

template <class T>
std::unique_ptr<Model<T>> make_model(const RunSpec& spec, const TaskShape& shape, ParameterSet<T>& parameters) {
  const std::string name = name_of(spec.model, "model");
  const Location location = location_in(spec.model, "name");
  std::unique_ptr<Model<T>> model = Registry<Model<T>>::instance().make(name, "model", location);
  Fields fields;
  model->settings(fields);
  fields.read(spec.model, fmt::format("model '{}'", name), {"name"});
  if (model->takes() != shape.kind) {
    const std::string others = models_that_take(shape.kind);
    const Location task = location_in(spec.task, "name");
    const bool task_changed = task.kind == Location::Kind::setting && location.kind != Location::Kind::setting;
    throw wrong_input(fmt::format("model '{}' needs {}, and task '{}' gives {}", name, kind_name(model->takes()),
                                  name_of(spec.task, "task"), kind_name(shape.kind)),
                      others.empty() ? "choose another task" : "models for this task: " + others,
                      task_changed ? task : location);
  }
  placed(location, [&] { model->build(shape, parameters); }, spec.model);
  parameters.finish();
  parameters.initialise(spec.start());
  return model;
}

template std::unique_ptr<Model<float>> make_model(const RunSpec&, const TaskShape&, ParameterSet<float>&);
template std::unique_ptr<Model<double>> make_model(const RunSpec&, const TaskShape&, ParameterSet<double>&);

namespace {

std::unique_ptr<Model<float>> unbuilt_model(const RunSpec& spec) {
  const auto& models = Registry<Model<float>>::instance().all();
  const auto found = models.find(name_of(spec.model, "model"));
  return found == models.end() ? nullptr : found->second.make();
}

}  // namespace

std::optional<AttentionMeaning> attention_meaning(const RunSpec& spec) {
  const auto model = unbuilt_model(spec);
  return model ? std::optional(model->attention_meaning()) : std::nullopt;
}

std::optional<Kind> kind_of_model(const RunSpec& spec) {
  const auto model = unbuilt_model(spec);
  return model ? std::optional(model->takes()) : std::nullopt;
}

namespace {

void check_engine(const TrainSettings& train, const ValueTable& table) {
  if (!train.engine) {
    if (train.device)
      throw wrong_input("train.device is the device of an engine, and train.engine is not set",
                        "set train.engine = \"torch\" too, or drop train.device", location_in(table, "device"));
    return;
  }
  if (train.data_parallel.value_or(false))
    throw wrong_input("engine 'torch' computes a batch in one piece, and train.data_parallel cuts it into shards",
                      "drop one of the two", location_in(table, "engine"));
  if (train.precision == TrainSettings::Precision::bf16x3)
    throw wrong_input("engine 'torch' has no precision 'bf16x3'", "set train.precision to \"float\" or \"double\"",
                      location_in(table, "precision"));
}

void check_checkpoints(const TrainSettings& train, const ValueTable& table) {
  for (const int step : train.checkpoints)
    if (step > train.steps)
      throw wrong_input(fmt::format("train.checkpoints has step {}, and the run has {} steps", step, train.steps),
                        "list steps within the run, or raise train.steps", location_in(table, "checkpoints"));
}

}  // namespace

bool names_truth(const Batch& batch) {
  return !batch.marked.empty() || batch.pattern_width > 0 ||
         std::ranges::any_of(batch.alignment, [](int position) { return position >= 0; });
}

int examples_that_show(const Batch& one) { return one.alignment.empty() || names_truth(one) ? 1 : 64; }

TrainSettings read_train(const ValueTable& table) {
  TrainSettings train;
  Fields fields;
  train.settings(fields);
  fields.read(table, "train");
  check_settings(train, table);
  return train;
}

void check_settings(const TrainSettings& train, const ValueTable& table) {
  check_engine(train, table);
  if (train.stop_when.empty()) return;
  Expression::parse(train.stop_when, location_in(table, "stop_when"))
      .require_single_run()
      .require_condition_on_metrics();
}

template <class T>
Capabilities capabilities_of(const Model<T>& model, const ParameterSet<T>& parameters, const Batch& batch,
                             const RunSpec& spec) {
  using Attends = typename Model<T>::Attends;
  const Attends attends = model.attends(batch);
  Capabilities capabilities;
  capabilities.model = name_of(spec.model, "model");
  capabilities.task = name_of(spec.task, "task");
  capabilities.steps = *spec.train.at("steps").as<std::int64_t>();
  capabilities.attends = attends != Attends::no;
  capabilities.by_score = attends == Attends::by_score;
  capabilities.has_beta = model.has_beta();
  capabilities.truth = names_truth(batch);
  const auto [each, causal, copies] = model.heads();
  capabilities.heads = {each, causal, copies};
  for (const Param<T>& p : parameters.all()) {
    capabilities.attention_parameters |= p.group == Group::attention;
    capabilities.parameters.push_back(p.name);
  }
  return capabilities;
}

template Capabilities capabilities_of(const Model<float>&, const ParameterSet<float>&, const Batch&, const RunSpec&);
template Capabilities capabilities_of(const Model<double>&, const ParameterSet<double>&, const Batch&, const RunSpec&);

template <class T>
void check_training(const Model<T>& model, const RunSpec& spec, const TrainSettings& train) {
  check_checkpoints(train, spec.train);
  const std::int64_t parts =
      train.data_parallel.value_or(false) ? train.shards.value_or(TrainSettings::shards_by_default) : 1;
  const int least = model.least_batch();
  if (train.steps > 0 && train.batch / parts < least)
    throw wrong_input(
        parts > 1 ? fmt::format("train.data_parallel divides a batch of {} into {} shards, and model '{}' needs {} in "
                                "each",
                                train.batch, parts, name_of(spec.model, "model"), least)
        : train.batch == 1
            ? fmt::format("model '{}' cannot be trained on one example at a time", name_of(spec.model, "model"))
            : fmt::format("model '{}' cannot be trained on {} examples at a time", name_of(spec.model, "model"),
                          train.batch),
        parts == 1 ? fmt::format("set train.batch to {} or more", least)
                   : fmt::format("set train.batch to {} or more, or train.shards lower", least * parts),
        location_in(spec.train, "batch"));
}

template void check_training(const Model<float>&, const RunSpec&, const TrainSettings&);
template void check_training(const Model<double>&, const RunSpec&, const TrainSettings&);

void check_evaluated(const Batch& batch, const RunSpec& spec) {
  if (batch.size > 0) return;
  const Value& split = spec.probe.at("split");
  throw wrong_input(fmt::format("task '{}' has no examples to evaluate: its split {} is empty",
                                name_of(spec.task, "task"), split.text()),
                    "set probe.split to another split, or choose a task with such examples", split.location);
}

void prepare_probes(std::vector<NamedProbe>& probes, const RunSpec& spec, const TaskShape& shape,
                    const Capabilities& capabilities) {
  std::erase_if(probes, [&](NamedProbe& named) {
    try {
      placed(location_in(spec.probe, "names"), [&] {
        named.probe->prepare(shape, capabilities.attends, spec.seed);
        if (named.probe->needs_beta() && !capabilities.has_beta)
          throw wrong_input(
              fmt::format("probe '{}' reads β, and model '{}' has none here", named.name, name_of(spec.model, "model")),
              "remove the probe, or name it in probe.optional");
        if (named.probe->needs_truth() && !capabilities.truth)
          throw wrong_input(fmt::format("probe '{}' needs the true positions, and task '{}' has none", named.name,
                                        name_of(spec.task, "task")),
                            "remove the probe, or name it in probe.optional");
      });
      return false;
    } catch (const Error& error) {
      if (!named.optional || error.kind() != Error::Kind::wrong_input) throw;
      return true;
    }
  });
}

namespace {

template <class T>
void check_fit_in(ResolvedRun& run) {
  const RunSpec& spec = run.spec();
  const Model<T>& model = run.model<T>();
  ParameterSet<T>& parameters = *run.parameters<T>();
  ProbeTable& probe = run.probe();
  Batch batch;
  run.task().batch(probe.settings.split, 0, 1, batch);
  if (const int more = examples_that_show(batch); more > 1) run.task().batch(probe.settings.split, 0, more, batch);
  check_evaluated(batch, spec);
  Arena arena;
  Team team;
  Compute compute{arena, team};
  check_training(model, spec, run.train());
  const Capabilities capabilities = capabilities_of(model, parameters, batch, spec);
  ask_less(batch);
  placed(location_in(spec.model, "name"),
         [&] { check_attention(model.attention_meaning(), model.forward(compute, batch, {})); });
  run.interventions().check(capabilities);
  run.interventions().prepare({run.task(), parameters, {}});
  prepare_probes(probe.probes, spec, run.shape(), capabilities);
}

}  // namespace

void check_fit(ResolvedRun& run) { run.train().in_double() ? check_fit_in<double>(run) : check_fit_in<float>(run); }

}  // namespace fovea
