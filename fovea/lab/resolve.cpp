// From an experiment and what a person sets over it to whole specs of runs.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fovea/base/names.h"
#include "fovea/lab/assembly.h"
#include "fovea/lab/spec.h"

namespace fovea {

namespace {

constexpr std::size_t most_runs = 1000000;

// The settings of a run as they are written, before defaults and checks.
struct Draft {
  ValueTable task, model, train, probe;
  ValueList interventions;
  std::uint64_t seed = 0;
};

std::uint64_t take_seed(const Value& value) {
  const auto* const seed = value.as<std::int64_t>();
  if (!seed || *seed < 0)
    throw wrong_input(fmt::format("seed must be an integer, 0 or more, not {}", value.text()), "as in seed=3",
                      value.place);
  return static_cast<std::uint64_t>(*seed);
}

template <class Part>
ValueTable complete_part(const ValueTable& written, Part& part, const std::string& what) {
  const Value& name = written.at("name");
  Fields fields;
  part.settings(fields);
  fields.read(written, fmt::format("{} '{}'", what, *name.as<std::string>()), {"name"});
  if constexpr (requires { part.pin(); }) part.pin();
  ValueTable complete = fields.write();
  complete["name"] = name;
  return complete;
}

template <class Part>
ValueTable complete_named(const ValueTable& written, const std::string& what) {
  const Value& name = written.at("name");
  const auto* const text = name.as<std::string>();
  if (!text)
    throw wrong_input(fmt::format("the name of the {} must be a text, not {}", what, name.kind()), "put it in quotes",
                      name.place);
  return complete_part(written, *Registry<Part>::instance().make(*text, what, name.place), what);
}

// Every setting there is for this draft: "task.vocab", "train.steps", …
std::vector<std::string> all_settings(const Draft& draft) {
  std::vector<std::string> names{"seed", "intervene"};
  const auto add = [&names](const std::string& section, const ValueTable& table) {
    for (const auto& entry : table) names.push_back(section + "." + entry.first);
  };
  Fields train_fields;
  TrainSettings train;
  train.settings(train_fields);
  for (const Field& field : train_fields.all()) names.push_back("train." + field.name);
  add("probe", complete_probe_table({}));
  add("task", complete_named<Task>(draft.task, "task"));
  add("model", complete_named<Model<float>>(draft.model, "model"));
  return names;
}

[[noreturn]] void refuse_key(const Draft& draft, const std::string& key, const Place& place) {
  const std::vector<std::string> names = all_settings(draft);
  const auto same_end =
      std::find_if(names.begin(), names.end(), [&key](const std::string& name) { return name.ends_with("." + key); });
  throw wrong_input(fmt::format("there is no setting '{}'", key),
                    same_end != names.end() ? fmt::format("did you mean '{}'?", *same_end) : suggest_name(key, names),
                    place);
}

void apply(Draft& draft, const std::string& key, const Value& value) {
  if (key == "seed") {
    draft.seed = take_seed(value);
    return;
  }
  if (key == "intervene") {
    const auto* const list = value.as<ValueList>();
    if (!list)
      throw wrong_input(fmt::format("intervene must be a list, not {}", value.kind()),
                        "write it as [{ hold = \"uniform\", until = 100 }]", value.place);
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
  if (dot == std::string::npos || !table) refuse_key(draft, key, value.place);
  std::size_t begin = dot + 1;
  for (std::size_t end; (end = key.find('.', begin)) != std::string::npos; begin = end + 1) {
    Value& inner = (*table)[key.substr(begin, end - begin)];
    if (!inner.as<ValueTable>()) inner = {ValueTable{}, value.place};
    table = std::get_if<ValueTable>(&inner.data);
  }
  (*table)[key.substr(begin)] = value;
}

Draft draft_of(const Experiment& experiment, Form form, const std::vector<Override>& overrides, std::uint64_t seed) {
  Draft draft{experiment.task, experiment.model, experiment.train, experiment.probe, experiment.interventions, seed};
  if (form == Form::quick)
    for (const auto& [key, value] : experiment.quick)
      if (!key.starts_with("sweep.")) apply(draft, key, value);
  for (const Override& change : overrides) apply(draft, change.key, change.value);
  return draft;
}

RunSpec complete(const Draft& draft) {
  RunSpec spec;
  spec.task = complete_named<Task>(draft.task, "task");
  spec.model = complete_named<Model<float>>(draft.model, "model");
  Fields train_fields;
  TrainSettings train = read_train(draft.train);
  if (train.start && static_cast<std::uint64_t>(*train.start) == draft.seed) train.start.reset();  // the same run
  train.settings(train_fields);
  spec.train = train_fields.write();
  spec.probe = complete_probe_table(draft.probe);
  if (const auto names = draft.probe.find("names"); names != draft.probe.end())
    spec.probe["names"].place = names->second.place;
  spec.interventions = Interventions::parse(draft.interventions).write();
  spec.seed = draft.seed;
  return spec;
}

std::vector<Axis> axes_of(const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                          const std::vector<Axis>& own) {
  std::vector<Axis> axes = experiment.axes(form);
  std::erase_if(axes, [&](const Axis& axis) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&axis](const Override& change) { return change.key == axis.key; });
  });
  for (const Axis& axis : own) {
    const auto same =
        std::find_if(axes.begin(), axes.end(), [&axis](const Axis& other) { return other.key == axis.key; });
    if (same != axes.end()) *same = axis;
    else axes.push_back(axis);
  }
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return axis.key != "seed"; });
  std::size_t points = 1;
  for (const Axis& axis : axes)
    if (axis.values.empty() || (points *= axis.values.size()) > most_runs)
      throw wrong_input(fmt::format("the sweep has no runs, or more than {}", most_runs), "make its axes shorter",
                        experiment.place);
  return axes;
}

}  // namespace

RunSpec resolve(const Experiment& experiment, Form form, const std::vector<Override>& overrides, std::uint64_t seed) {
  RunSpec spec = complete(draft_of(experiment, form, overrides, seed));
  check_fit(spec);
  return spec;
}

std::vector<RunSpec> resolve_sweep(const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                                   const std::vector<Axis>& axes) {
  const std::vector<Axis> all = axes_of(experiment, form, overrides, axes);
  const Draft base = draft_of(experiment, form, overrides, experiment.seed);
  std::vector<RunSpec> specs;
  std::set<std::string> fitting;  // runs that differ in their seed alone fit alike
  std::vector<std::size_t> at(all.size(), 0);
  for (;;) {
    Draft draft = base;
    for (std::size_t i = 0; i < all.size(); ++i) apply(draft, all[i].key, all[i].values[at[i]]);
    specs.push_back(complete(draft));
    RunSpec unseeded = specs.back();
    unseeded.seed = 0;
    if (fitting.insert(unseeded.text()).second) check_fit(specs.back());
    std::size_t axis = all.size();
    while (axis > 0 && ++at[axis - 1] == all[axis - 1].values.size()) at[--axis] = 0;
    if (axis == 0) return specs;
  }
}

}  // namespace fovea
