// Resolves an experiment and a person's overrides into full RunSpecs, as experiment.h declares (room lab/experiment).
// SweepPlan, commands, the server and the Python package call it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fovea/base/error/setting_names.h"
#include "fovea/base/old_names.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/experiment/unresolved_spec.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

namespace {

std::uint64_t take_seed(const Value& value) {
  const auto* const seed = value.as<std::int64_t>();
  if (!seed || *seed < 0)
    throw wrong_input(fmt::format("seed must be an integer, 0 or more, not {}", value.text()),
                      value.location.kind == Location::Kind::setting && value.location.file.starts_with("sweep.")
                          ? "write sweep.seed=0..4, or sweep.seed=1,2,5"
                          : "write, for example, seed=3",
                      value.location);
  return static_cast<std::uint64_t>(*seed);
}

// A setting that is given and that nothing reads beside the others (momentum, under Adam) would make two runs look
// different that are the same. Runs that are kept with one are read as ever.
void refuse_idle(const Fields& fields, const ValueTable& written, const std::string& section) {
  const auto idle = fields.idle();
  if (!idle) return;
  const std::string name = fmt::format("{}.{}", section, idle->name);
  throw wrong_input(fmt::format("{} changes nothing here: it belongs to {}", name, idle->belongs_to),
                    Remedy::drop_setting(name, idle->usual_text()), location_in(written, idle->name));
}

// Opens what the part reads: a corpus, a file.
template <class Part>
void pin(Part& part, const ValueTable& written) {
  try {
    part.pin();
  } catch (const Error& error) {
    if (error.location().known()) throw;
    const Location corpus = location_in(written, "corpus");
    throw Error(error.kind(), error.problem(), error.remedy(), corpus.known() ? corpus : location_in(written, "name"));
  }
}

template <class Part>
ValueTable complete_part(const ValueTable& written, Part& part, const std::string& what) {
  const Value& name = written.at("name");
  Fields fields;
  part.settings(fields);
  fields.read(written, fmt::format("{} '{}'", what, *name.as<std::string>()), {"name"});
  refuse_idle(fields, written, what);
  if constexpr (requires { part.pin(); }) pin(part, written);
  ValueTable complete = fields.write();
  for (auto& [key, value] : complete) value.location = location_in(written, key);
  complete["name"] = name;
  return complete;
}

template <class Part>
ValueTable complete_named(const ValueTable& written, const std::string& what) {
  const Value& name = written.at("name");
  const auto* const text = name.as<std::string>();
  if (!text)
    throw wrong_input(message("the name of the {} must be {}, not {}", what, ValueKind::text, name.kind()),
                      "put it in quotes", name.location);
  return complete_part(written, *Registry<Part>::instance().make(*text, what, name.location), what);
}

// Every setting there is for this draft: "task.vocab", "train.steps", …
std::vector<std::string> all_settings(const UnresolvedSpec& draft) {
  std::vector<std::string> names{"seed", "intervene"};
  const auto add = [&names](const std::string& section, const ValueTable& table) {
    for (const auto& entry : table) names.push_back(section + "." + entry.first);
  };
  Fields train_fields;
  TrainSettings train;
  train.settings(train_fields);
  for (const Field& field : train_fields.all()) names.push_back("train." + field.name);
  add("probe", read_probe({}).write());
  add("task", complete_named<Task>(draft.task, "task"));
  add("model", complete_named<Model<float>>(draft.model, "model"));
  return names;
}

[[noreturn]] void refuse_key(const UnresolvedSpec& draft, const std::string& key, const Location& location) {
  std::vector<std::string> names = all_settings(draft);
  const auto same_end =
      std::ranges::find_if(names, [&key](const std::string& name) { return name.ends_with("." + key); });
  // An axis of the command line is written "sweep.seed=0..4".
  const bool axis = location.kind == Location::Kind::setting && location.file.starts_with("sweep.");
  const std::string prefix = axis ? "sweep." : "";
  std::string near = key == "task" || key == "model" ? key + ".name" : same_end != names.end() ? *same_end : "";
  // A short name is not meant to be the beginning of a long one: data is not train.data_parallel.
  std::erase_if(names,
                [&key](const std::string& name) { return name.size() - (name.rfind('.') + 1) > 2 * key.size(); });
  if (near.empty()) near = nearest_setting(key, names);
  throw wrong_input(fmt::format("there is no setting '{}{}'", prefix, key),
                    near.empty() ? Remedy::list_parts("settings") : Remedy::did_you_mean(prefix + near), location);
}

UnresolvedSpec written_spec(const Experiment& experiment, Preset preset, std::uint64_t seed) {
  UnresolvedSpec draft{experiment.task,  experiment.model,         experiment.train,
                       experiment.probe, experiment.interventions, seed};
  if (preset == Preset::quick)
    for (const auto& [key, value] : experiment.quick)
      if (!key.starts_with("sweep.")) apply(draft, key, value);
  return draft;
}

}  // namespace

OtherModel::OtherModel(const ValueTable& before, const std::vector<Override>& overrides) {
  const auto named = std::ranges::find(overrides, "model.name", &Override::key);
  if (named == overrides.end()) return;
  const auto* const name = named->value.as<std::string>();
  const auto had = before.find("name");
  if (!name || (had != before.end() && had->second == named->value)) return;
  const auto model = Registry<Model<float>>::instance().make(*name, "model", named->value.location);
  Fields fields;
  model->settings(fields);
  names_.emplace().insert("model.name");
  for (const Field& field : fields.all()) names_->insert("model." + field.name);
}

bool OtherModel::lacks(const std::string& key) const {
  return names_ && key.starts_with("model.") && !names_->contains(key.substr(0, key.find('.', sizeof "model")));
}

void apply(UnresolvedSpec& draft, const std::string& given, const Value& value) {
  const std::string key = report_old_name(NameKind::setting, given);
  if (key == "seed") {
    draft.seed = take_seed(value);
    return;
  }
  if (key == "intervene") {
    const auto* const list = value.as<ValueList>();
    if (!list)
      throw wrong_input(message("intervene must be {}, not {}", ValueKind::list, value.kind()),
                        message("write it as {}", Value{ValueList{example_intervention()}, {}}), value.location);
    draft.interventions = *list;
    return;
  }
  const std::size_t dot = key.find('.');
  const std::string section = key.substr(0, dot);
  ValueTable* table = section == "task"    ? &draft.task
                      : section == "model" ? &draft.model
                      : section == "train" ? &draft.train
                      : section == "probe" ? &draft.probe
                                           : nullptr;
  if (dot == std::string::npos || !table) refuse_key(draft, key, value.location);
  std::size_t begin = dot + 1;
  for (std::size_t end; (end = key.find('.', begin)) != std::string::npos; begin = end + 1) {
    Value& inner = (*table)[key.substr(begin, end - begin)];
    if (!inner.as<ValueTable>()) inner = {ValueTable{}, value.location};
    table = std::get_if<ValueTable>(&inner.data);
  }
  (*table)[key.substr(begin)] = value;
}

UnresolvedSpec unresolved_spec(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                               std::uint64_t seed) {
  UnresolvedSpec draft = written_spec(experiment, preset, seed);
  const OtherModel other(draft.model, overrides);
  std::erase_if(draft.model, [&](const auto& setting) { return other.lacks("model." + setting.first); });
  for (const Override& change : overrides) apply(draft, change.key, change.value);
  return draft;
}

std::vector<std::string> settings_left_out(const Experiment& experiment, Preset preset,
                                           const std::vector<Override>& overrides) {
  const UnresolvedSpec draft = written_spec(experiment, preset, 0);
  const OtherModel other(draft.model, overrides);
  std::set<std::string> lacking;
  for (const auto& setting : draft.model)
    if (other.lacks("model." + setting.first)) lacking.insert("model." + setting.first);
  for (const Axis& axis : experiment.axes(preset))
    if (other.lacks(axis.key)) lacking.insert(axis.key);
  return {lacking.begin(), lacking.end()};
}

ResolvedRun complete(const UnresolvedSpec& draft) {
  RunSpec spec;
  spec.task = complete_named<Task>(draft.task, "task");
  spec.model = complete_named<Model<float>>(draft.model, "model");
  TrainSettings train;
  {
    Fields fields;
    train.settings(fields);
    fields.read(draft.train, "train");
    refuse_idle(fields, draft.train, "train");
    check_settings(train, draft.train);
    if (train.start && static_cast<std::uint64_t>(*train.start) == draft.seed) train.start.reset();  // the same run
    spec.train = fields.write();
  }
  for (auto& [key, value] : spec.train) value.location = location_in(draft.train, key);
  ProbeTable probe = read_probe(draft.probe);
  for (const NamedProbe& one : probe.probes) one.probe->pin();
  spec.probe = probe.write();
  for (const char* const key : {"names", "at"})
    if (const auto given = draft.probe.find(key); given != draft.probe.end())
      spec.probe[key].location = given->second.location;
  Interventions interventions = Interventions::parse(draft.interventions);
  interventions.pin();
  spec.interventions = interventions.write();
  spec.seed = draft.seed;
  return {std::move(spec), std::move(train), std::move(probe), std::move(interventions)};
}

ResolvedRun resolve_run(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                        std::uint64_t seed) {
  ResolvedRun run = complete(unresolved_spec(experiment, preset, overrides, seed));
  check_fit(run);
  return run;
}

RunSpec resolve(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                std::uint64_t seed) {
  return resolve_run(experiment, preset, overrides, seed).spec();
}

std::vector<ResolvedRun> resolve_sweep(const Experiment& experiment, Preset preset,
                                       const std::vector<Override>& overrides, const std::vector<Axis>& axes) {
  const SweepPlan plan(experiment, preset, overrides, axes);
  constexpr std::size_t most_runs = 1000000;
  if (plan.size() > most_runs)
    throw wrong_input(
        fmt::format("the sweep has {} runs ({}), more than the limit of {}", plan.size(), plan.shape(), most_runs),
        "shorten its axes", experiment.location);
  return plan.all();
}

}  // namespace fovea
