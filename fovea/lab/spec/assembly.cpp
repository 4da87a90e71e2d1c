#include "fovea/lab/spec/assembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/lab/query/expression.h"
#include "fovea/lab/spec/owner.h"
#include "fovea/lab/spec/start_vectors.h"

namespace fovea {

namespace {

std::string name_of(const ValueTable& table, const std::string& what) {
  const auto found = table.find("name");
  const std::string* const name = found == table.end() ? nullptr : found->second.as<std::string>();
  if (!name) throw wrong_input(fmt::format("the {} has no name", what), Remedy::list_parts(what + "s"));
  return *name;
}

// The place of the one setting that was given beside the spec; unknown where there are others, or none.
Place given_alone(const ValueTable& settings) {
  Place place;
  for (const auto& [name, value] : settings) {
    if (value.place.kind != Place::Kind::setting) continue;
    if (place.known()) return {};
    place = value.place;
  }
  return place;
}

// A part knows what is wrong, and which of its settings; its spec knows where that stands. Where two settings do not go
// together, it is the one that was changed.
template <class Work>
auto placed(const Place& place, Work&& work, const ValueTable& settings = {}) {
  try {
    return work();
  } catch (const Error& error) {
    const Place& said = error.place();
    if (error.kind() != Error::Kind::wrong_input || (said.known() && said.kind != Place::Kind::setting)) throw;
    Place known = place_in(settings, said.file);
    if (!known.known()) known = given_alone(settings);
    throw wrong_input(error.problem(), error.remedy(), known.known() ? known : place);
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
    items->values.resize(static_cast<std::size_t>(enough * items->width));
  }
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
  placed(place, [&] { task->prepare(spec.seed); }, spec.task);
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
  placed(place, [&] { model->build(shape, parameters); }, spec.model);
  parameters.finish();
  parameters.initialise(spec.start());
  return model;
}

template std::unique_ptr<Model<float>> make_model(const RunSpec&, const TaskShape&, ParameterSet<float>&);
template std::unique_ptr<Model<double>> make_model(const RunSpec&, const TaskShape&, ParameterSet<double>&);

std::optional<AttentionMeaning> attention_meaning(const RunSpec& spec) {
  const auto& models = Registry<Model<float>>::instance().all();
  const auto found = models.find(name_of(spec.model, "model"));
  if (found == models.end()) return std::nullopt;
  return found->second.make()->attention_meaning();
}

TrainSettings read_train(const ValueTable& table) {
  TrainSettings train;
  Fields fields;
  train.settings(fields);
  fields.read(table, "train");
  check_stop_condition(train, table);
  return train;
}

void check_stop_condition(const TrainSettings& train, const ValueTable& table) {
  if (train.stop_when.empty()) return;
  Expression::parse(train.stop_when, place_in(table, "stop_when")).require_single_run().require_condition();
}

template <class T>
Capabilities capabilities_of(const Model<T>& model, const ParameterSet<T>& parameters, const Batch& batch) {
  using Attends = typename Model<T>::Attends;
  const Attends attends = model.attends(batch);
  Capabilities capabilities;
  capabilities.attends = attends != Attends::no;
  capabilities.by_score = attends == Attends::by_score;
  capabilities.has_beta = model.has_beta();
  capabilities.truth = !batch.marked.empty() || batch.pattern_width > 0 ||
                       std::ranges::any_of(batch.alignment, [](int place) { return place >= 0; });
  const auto [layers, each, causal, copies] = model.heads();
  capabilities.heads = {layers, each, causal, copies};
  for (const Param<T>& p : parameters.all()) {
    capabilities.attention_parameters |= p.group == Group::attention;
    capabilities.parameters.push_back(p.name);
  }
  return capabilities;
}

template Capabilities capabilities_of(const Model<float>&, const ParameterSet<float>&, const Batch&);
template Capabilities capabilities_of(const Model<double>&, const ParameterSet<double>&, const Batch&);

template <class T>
void check_training(const Model<T>& model, const RunSpec& spec, const TrainSettings& train) {
  const std::int64_t parts =
      train.data_parallel.value_or(false) ? train.shards.value_or(TrainSettings::shards_by_default) : 1;
  const int least = model.least_batch();
  if (train.steps > 0 && train.batch / parts < least)
    throw wrong_input(
        fmt::format("model '{}' cannot be trained on {} at a time", name_of(spec.model, "model"),
                    train.batch / parts == 1 ? "one example" : fmt::format("{} examples", train.batch / parts)),
        parts == 1 ? fmt::format("set train.batch to {} or more", least)
                   : fmt::format("set train.batch to {} or more, or train.shards lower", least * parts),
        place_in(spec.train, "batch"));
}

template void check_training(const Model<float>&, const RunSpec&, const TrainSettings&);
template void check_training(const Model<double>&, const RunSpec&, const TrainSettings&);

void check_looked_at(const Batch& batch, const RunSpec& spec) {
  if (batch.size > 0) return;
  const Value& split = spec.probe.at("split");
  throw wrong_input(fmt::format("task '{}' has no examples to evaluate: its split {} is empty",
                                name_of(spec.task, "task"), split.text()),
                    "set probe.split to another, or take a task that has such examples", split.place);
}

void check_rule(const ScopedRule& scoped, const Capabilities& capabilities, const RunSpec& spec, const Place& place) {
  using Pattern = AttentionRule::Pattern;
  const auto& [layer, head, rule] = scoped;
  const Model<float>::Heads& heads = capabilities.heads;
  const std::string model = name_of(spec.model, "model");
  const bool held = rule.pattern != Pattern::learned;
  const bool any_model_can = rule.pattern == Pattern::uniform || rule.pattern == Pattern::truth;
  const bool of_all = held && layer == 0 && head == 0 && any_model_can;
  if (of_all && heads.layers == 0 && !capabilities.attends)
    throw wrong_input(fmt::format("attention cannot be held: model '{}' has none here", model), "drop the intervention",
                      place);
  if (held && capabilities.attends && !capabilities.by_score)
    throw wrong_input(fmt::format("attention cannot be held: that of model '{}' is even here, whatever is done", model),
                      "drop the intervention, or let attention be learned", place);
  if (!of_all && heads.layers == 0)
    throw wrong_input(fmt::format("model '{}' has no heads to act on", model),
                      "drop the intervention, or take model transformer", place);
  if (heads.layers > 0 && (layer > heads.layers || head > heads.each))
    throw wrong_input(fmt::format("there is no {}: model '{}' has {} of {} here", heads_name(scoped), model,
                                  heads.layers == 1 ? "one layer" : fmt::format("{} layers", heads.layers),
                                  heads.each == 1 ? "one head" : fmt::format("{} heads", heads.each)),
                      "name one that there is; both count from 1", place);
  if (held && !any_model_can && !heads.causal)
    throw wrong_input(fmt::format("model '{}' does not attend from position to position", model),
                      "hold attention uniform, or take model transformer", place);
  if (rule.copy != 0 && !heads.copies)
    throw wrong_input(fmt::format("the heads of model '{}' cannot copy", model), "take model transformer", place);
  if (rule.copy != 0 && layer != heads.layers)
    throw wrong_input(fmt::format("{} says nothing: the last of {} layers does", heads_name(scoped), heads.layers),
                      fmt::format("copy by layer.{}", heads.layers), place);
  if (of_all && rule.pattern == Pattern::truth && !capabilities.truth)
    throw wrong_input(fmt::format("attention cannot be held at the truth: task '{}' does not know where it belongs",
                                  name_of(spec.task, "task")),
                      "hold it uniform, or take a task that knows", place);
  if (rule.reads_right() && !capabilities.truth)
    throw wrong_input("the task does not know which places a right answer needs",
                      "hold the head otherwise, or take a task that knows", place);
}

void check_interventions(const Interventions& interventions, const Capabilities& capabilities, const RunSpec& spec,
                         const TrainSettings& train) {
  const std::string model = name_of(spec.model, "model");
  for (const Hold& hold : interventions.holds) check_rule({0, 0, {hold.pattern}}, capabilities, spec, hold.place);
  for (const HeadIntervention& head : interventions.heads) check_rule(head.change, capabilities, spec, head.place);
  const auto refuse = [&](Group group, const Place& place) {
    if (group == Group::attention && !capabilities.attention_parameters)
      throw wrong_input(fmt::format("model '{}' has no attention parameters here", model), "drop the intervention",
                        place);
    if (group == Group::attention && capabilities.attends && !capabilities.by_score)
      throw wrong_input(
          fmt::format("attention parameters do nothing here: the attention of model '{}' is even, whatever they are",
                      model),
          "drop the intervention, or let attention be learned", place);
  };
  const auto in_time = [steps = train.steps](std::int64_t from, const Place& place) {
    if (from > steps)
      throw wrong_input(fmt::format("the intervention begins at step {}, and training ends at step {}", from, steps),
                        fmt::format("let it begin sooner, or set train.steps to {} or more", from), place);
  };
  const auto all_in_time = [&](const auto& all) {
    for (const auto& one : all) in_time(one.when.from, one.place);
  };
  all_in_time(interventions.holds);
  all_in_time(interventions.heads);
  all_in_time(interventions.freezes);
  all_in_time(interventions.rates);
  all_in_time(interventions.clamps);
  for (const Transplant& transplant : interventions.transplants) in_time(transplant.at, transplant.place);
  for (const Freeze& freeze : interventions.freezes) {
    if (freeze.group()) refuse(*freeze.group(), freeze.place);
    else if (std::ranges::none_of(capabilities.parameters,
                                  [&](const std::string& name) { return belongs_to(name, freeze.of); })) {
      std::vector<std::string> known = owners_of(capabilities.parameters);
      known.insert(known.begin(), {"attention", "body"});
      throw wrong_input(fmt::format("model '{}' has no parameters '{}' to freeze", model, freeze.of),
                        suggest_name(freeze.of, known), freeze.place);
    }
  }
  for (const OwnRate& rate : interventions.rates) refuse(rate.group, rate.place);
  for (const Clamp& clamp : interventions.clamps)
    if (std::ranges::find(capabilities.parameters, clamp.parameter) == capabilities.parameters.end())
      throw wrong_input(fmt::format("model '{}' has no parameter '{}' here", model, clamp.parameter),
                        suggest_name(clamp.parameter, capabilities.parameters), clamp.place);
}

void prepare_probes(std::vector<NamedProbe>& probes, const RunSpec& spec, const TaskShape& shape,
                    const Capabilities& capabilities) {
  std::erase_if(probes, [&](NamedProbe& named) {
    try {
      placed(place_in(spec.probe, "names"), [&] {
        named.probe->prepare(shape, capabilities.attends, spec.seed);
        if (named.probe->needs_beta() && !capabilities.has_beta)
          throw wrong_input(
              fmt::format("probe '{}' reads β, and model '{}' has none here", named.name, name_of(spec.model, "model")),
              "leave the probe out, or name it in probe.where_able");
        if (named.probe->needs_truth() && !capabilities.truth)
          throw wrong_input(fmt::format("probe '{}' asks where attention belongs, and task '{}' does not know",
                                        named.name, name_of(spec.task, "task")),
                            "leave the probe out, or name it in probe.where_able");
      });
      return false;
    } catch (const Error& error) {
      if (!named.where_able || error.kind() != Error::Kind::wrong_input) throw;
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
  std::vector<NamedProbe> probes = make_probes(spec.probe, run.probe());
  Batch batch;
  run.task().batch(run.probe().split, 0, 1, batch);
  check_looked_at(batch, spec);
  Arena arena;
  Team team;
  Compute compute{arena, team};
  check_training(model, spec, run.train());
  const Capabilities capabilities = capabilities_of(model, parameters, batch);
  ask_less(batch);
  placed(place_in(spec.model, "name"),
         [&] { check_attention(model.attention_meaning(), model.forward(compute, batch, {})); });
  const Interventions interventions = Interventions::parse(spec.interventions);
  check_interventions(interventions, capabilities, spec, run.train());
  (void)Embeddings<T>(interventions.embeds, run.task(), parameters);
  prepare_probes(probes, spec, run.shape(), capabilities);
}

}  // namespace

void check_fit(ResolvedRun& run) { run.train().in_double() ? check_fit_in<double>(run) : check_fit_in<float>(run); }

}  // namespace fovea
