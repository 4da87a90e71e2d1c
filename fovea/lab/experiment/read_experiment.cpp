// Reads an experiment file into an Experiment, as experiment.h declares (room lab/experiment). find_experiment.cpp
// and the front ends call it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/base/file.h"
#include "fovea/base/flatten.h"
#include "fovea/base/old_names.h"
#include "fovea/io/shipped.h"
#include "fovea/lab/experiment/baselines.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/experiment/read_values.h"
#include "fovea/lab/experiment/stages.h"
#include "fovea/lab/intervention/intervention.h"

namespace fovea {

namespace {

constexpr std::size_t largest_file = 1 << 20;

// "train.steps" = 5 and train.steps = 5 are the same: tables open up into dotted keys.
ValueTable take_flat(const Value& value, const std::string& key) {
  ValueTable flat;
  const ValueTable& table = take<ValueTable>(value, key, ValueKind::table);
  for (const auto& [dotted, one] : flatten(table))
    if (!flat.emplace(dotted, *one).second)
      throw wrong_input(fmt::format("'{}' is set twice", dotted), "keep one of the two", one->location);
  return flat;
}

std::int64_t take_draws(const Value& value) {
  const std::int64_t draws = take<std::int64_t>(value, "draws", ValueKind::integer);
  if (draws < 1) throw wrong_input(fmt::format("'draws' must be 1 or more, not {}", draws), {}, value.location);
  return draws;
}

std::int64_t take_draw_seed(const Value& value) {
  const std::int64_t seed = take<std::int64_t>(value, "draw_seed", ValueKind::integer);
  if (seed < 0) throw wrong_input(fmt::format("'draw_seed' must be 0 or more, not {}", seed), {}, value.location);
  return seed;
}

void read_sweep(const Value& value, Experiment& experiment) {
  for (const auto& [key, values] : take_flat(value, "sweep")) {
    if (key == "draws") experiment.draws = take_draws(values);
    else if (key == "draw_seed") experiment.draw_seed = take_draw_seed(values);
    else experiment.sweep.push_back(axis_of(key, values));
  }
}

ValueTable read_quick(const Value& value) {
  ValueTable quick = take_flat(value, "quick");
  for (const auto& [key, setting] : quick)
    if (key == "sweep.draws") take_draws(setting);  // a mistake shows now
    else if (key.starts_with("sweep.")) axis_of(key.substr(6), setting);
  return quick;
}

ValueList read_interventions(const Value& value) {
  const Remedy remedy = message("write it as intervene = {}", Value{ValueList{example_intervention()}, {}});
  ValueList list = take<ValueList>(value, "intervene", ValueKind::tables, remedy);
  for (const Value& item : list) take<ValueTable>(item, "intervene", ValueKind::tables, remedy);
  return list;
}

FigureSpec read_figure(const Value& value) {
  FigureSpec figure;
  figure.location = value.location;
  figure.settings = take<ValueTable>(value, "figure", ValueKind::table);
  const auto kind = figure.settings.find("kind");
  if (kind == figure.settings.end())
    throw wrong_input("a figure has no kind", message("add {} or another kind", Message::Entry{"kind", {"lines", {}}}),
                      value.location);
  figure.kind = take_text(kind->second, "kind");
  figure.settings.erase(kind);
  return figure;
}

Remedy begin_with(const std::string& key) { return message("begin each with the line {}", Message::Tables{key}); }

void read_stages(const Value& value, Experiment& experiment) {
  for (const Value& stage :
       take<ValueList>(value, "stage", message("written as {}", Message::Tables{"stage"}), begin_with("stage"))) {
    take<ValueTable>(stage, "stage", ValueKind::table);
    experiment.stages.push_back(read_stage(stage, Preset::full));
    experiment.quick_stages.push_back(read_stage(stage, Preset::quick));
  }
}

// Known once the whole file is read.
void check_stages(const Experiment& experiment) {
  for (const Preset preset : {Preset::full, Preset::quick}) {
    const std::vector<Axis> axes = experiment.axes(preset);
    for (const Stage& stage : experiment.stages_of(preset))
      if (std::ranges::find(axes, stage.combine, &Axis::key) == axes.end())
        throw wrong_input(fmt::format("a stage combines values of '{0}', and the {1} form's sweep does not vary '{0}'",
                                      stage.combine, word_of(preset)),
                          fmt::format("give sweep an axis \"{}\"", stage.combine), stage.location);
  }
}

auto read_list(const Value& value, const std::string& key, const auto& read) {
  std::vector<decltype(read(value))> items;
  for (const Value& item : take<ValueList>(value, key, message("written as {}", Message::Tables{key}), begin_with(key)))
    items.push_back(read(item));
  return items;
}

// "claims": the key that is meant is the name of a list of tables, and written as [[claim]].
void refuse_near_lists(const ValueTable& written) {
  const std::vector<std::string> lists{"claim", "figure", "stage", "against"};
  for (const auto& [key, value] : written) {
    const std::string near = nearest_name(key, lists);
    if (!near.empty() && near != key && key.starts_with(near))
      throw wrong_input(fmt::format("an experiment has no key '{}'", key),
                        message("did you mean {}?", Message::Tables{near}), value.location);
  }
}

// An experiment has a task and a model.
void refuse_lacking(const Experiment& experiment) {
  const auto entry = [](const char* key) { return Message::Entry{key, {ValueTable{{"name", {"…", {}}}}, {}}}; };
  // The last table of a file may be another one.
  const bool in_file = experiment.location.kind == Location::Kind::file && experiment.location.known();
  if (experiment.task.empty() && experiment.model.empty())
    throw wrong_input("the experiment has no task and no model",
                      message(in_file ? "write as the first two lines of the file: {} and {}" : "add {} and {}",
                              entry("task"), entry("model")),
                      experiment.location);
  for (const auto& [key, section] : {std::pair{"task", &experiment.task}, std::pair{"model", &experiment.model}})
    if (section->empty())
      throw wrong_input(fmt::format("the experiment has no {}", key),
                        message(in_file ? "write as the first line of the file: {}" : "add {}", entry(key)),
                        experiment.location);
}

// A table [train] at the top of a file contains all keys below it, task and model too.
void refuse_swallowed(const ValueTable& written) {
  constexpr std::string_view of_file[] = {"task", "model", "train", "probe", "sweep", "quick", "intervene"};
  for (const char* const name : {"task", "model", "train", "probe"}) {
    const auto found = written.find(name);
    const auto* const table = found == written.end() ? nullptr : found->second.as<ValueTable>();
    if (!table) continue;
    const int line = found->second.location.line;
    for (const auto& [key, value] : *table)
      if (std::ranges::find(of_file, key) != std::end(of_file) && value.location.line > line &&
          (value.as<ValueTable>() || value.as<ValueList>()))
        throw wrong_input(fmt::format("[{}] in line {} contains all keys below it, and '{}' too", name, line, key),
                          fmt::format("move the table to the end, or write {} = {{ … }}", name), value.location);
  }
}

}  // namespace

Experiment parse_experiment(const std::string& toml, const std::string& file_name) {
  const ValueTable written = parse_table(toml, file_name);
  refuse_swallowed(written);
  return experiment_from_table(written, {file_name});
}

Experiment experiment_from_table(const ValueTable& written, const Location& location) {
  Experiment experiment;
  experiment.location = location;
  experiment.name = std::filesystem::path(location.file).stem().string();
  experiment.title = experiment.name;
  const auto table = [](ValueTable& out, const std::string& key) {
    return [&out, key](const Value& v) { out = take<ValueTable>(v, key, ValueKind::table); };
  };
  const auto text = [](std::string& out, const std::string& key) {
    return [&out, key](const Value& v) { out = take_text(v, key); };
  };
  if (const auto define = written.find("define"); define != written.end())  // claims are written in them
    experiment.definitions = Definitions(take<ValueTable>(define->second, "define", ValueKind::table));
  refuse_near_lists(written);
  const auto claim = [&](const Value& v) { return read_claim(v, experiment.definitions); };
  read_keys(written, "an experiment",
            {{"title", text(experiment.title, "title")},
             {"idea", text(experiment.idea, "idea")},
             {"system", text(experiment.system, "system")},
             {"order",
              [&](const Value& v) {
                const std::int64_t order = take<std::int64_t>(v, "order", ValueKind::integer);
                if (order < -1000000 || order > 1000000)
                  throw wrong_input("'order' is out of bounds", "write the place in the tour as a small number",
                                    v.location);
                experiment.order = static_cast<int>(order);
              }},
             {"seed",
              [&](const Value& v) {
                const std::int64_t seed = take<std::int64_t>(v, "seed", ValueKind::integer);
                if (seed < 0)
                  throw wrong_input(fmt::format("seed must be 0 or more, not {}", seed), "write, for example, seed = 3",
                                    v.location);
                experiment.seed = static_cast<std::uint64_t>(seed);
              }},
             {"task", table(experiment.task, "task")},
             {"model", table(experiment.model, "model")},
             {"train", table(experiment.train, "train")},
             {"probe", table(experiment.probe, "probe")},
             {"intervene", [&](const Value& v) { experiment.interventions = read_interventions(v); }},
             {"sweep", [&](const Value& v) { read_sweep(v, experiment); }},
             {"quick", [&](const Value& v) { experiment.quick = read_quick(v); }},
             {"stage", [&](const Value& v) { read_stages(v, experiment); }},
             {"against", [&](const Value& v) { experiment.baselines = read_list(v, "against", read_baseline); }},
             {"define", [](const Value&) {}},
             {"claim", [&](const Value& v) { experiment.claims = read_list(v, "claim", claim); }},
             {"figure", [&](const Value& v) { experiment.figures = read_list(v, "figure", read_figure); }}});
  refuse_lacking(experiment);
  for (const auto& [key, section] : {std::pair{"task", &experiment.task}, std::pair{"model", &experiment.model}}) {
    const auto name = section->find("name");
    if (name == section->end())
      throw wrong_input(fmt::format("the {0} has no name: {0}.name is missing", key),
                        Remedy::list_parts(std::string(key) + "s"), section->begin()->second.location);
    take_text(name->second, "name");
  }
  ValueTable probe;
  for (const auto& [key, value] : experiment.probe)
    probe[report_old_name(NameKind::setting, "probe." + key).substr(std::string_view("probe.").size())] = value;
  experiment.probe = std::move(probe);
  check_stages(experiment);
  check_claim_names(experiment.claims, experiment.definitions);
  return experiment;
}

Experiment read_experiment(const std::filesystem::path& path) {
  const std::string text = read_file(path, largest_file);
  Experiment experiment = parse_experiment(text, path.string());
  const auto shipped = std::ranges::find(shipped_experiments(), experiment.name, &ShippedExperiment::name);
  const bool same_name = shipped != shipped_experiments().end();
  if (same_name && shipped->toml == text) return experiment;
  if (same_name) experiment.name += ".toml";
  std::error_code ignored;
  experiment.source = std::filesystem::weakly_canonical(path, ignored).string();
  return experiment;
}

}  // namespace fovea
