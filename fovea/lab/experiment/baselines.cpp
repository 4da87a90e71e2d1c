#include "fovea/lab/experiment/baselines.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error/names.h"
#include "fovea/base/settings.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

namespace {

constexpr std::int64_t most_epochs = 1'000'000;

const ValueTable& table_in(const ValueTable& table, const std::string& key) {
  static const ValueTable none;
  const auto found = table.find(key);
  if (found == table.end()) return none;
  const auto* const inner = found->second.as<ValueTable>();
  if (!inner)
    throw wrong_input(message("'{}' must be {}, not {}", key, ValueKind::table, found->second.kind()),
                      message("write it in braces, as {}", Value{ValueTable{{"name", {"…", {}}}}, {}}),
                      found->second.location);
  return *inner;
}

// { "train.rate" = 1e-3 }
std::vector<Override> settings_in(const ValueTable& table) {
  std::vector<Override> settings;
  for (const auto& [key, value] : table) {
    if (key.find('.') == std::string::npos)
      throw wrong_input(fmt::format("'{}' is no setting", key),
                        message("write it as {}, in quotes", Message::Entry{"train.rate", {1e-3, {}}}), value.location);
    settings.push_back({key, value});
  }
  return settings;
}

// Epochs as the steps they are of this task, with an evaluation after each.
void add_epochs(const RunSpec& spec, std::int64_t epochs, const Location& location, std::vector<Override>& settings) {
  const std::int64_t examples = make_task(spec)->examples(Split::train);
  if (examples == 0)
    throw wrong_input("this task draws each example at random, so it has no epochs", "set train.steps", location);
  const std::int64_t batch = *spec.train.at("batch").as<std::int64_t>();
  const std::int64_t epoch = (examples + batch - 1) / batch;
  settings.push_back({"train.steps", {epochs * epoch, location}});
  settings.push_back({"probe.every", {epoch, location}});
}

}  // namespace

Baseline read_baseline(const Value& value) {
  const auto* const table = value.as<ValueTable>();
  if (!table)
    throw wrong_input(message("a baseline must be {}", ValueKind::table),
                      message("write {}", Message::Tables{"against"}), value.location);
  static const std::vector<std::string> known{"name", "model", "train", "probe", "epochs", "set", "quick"};
  for (const auto& [key, inner] : *table)
    if (std::ranges::find(known, key) == known.end())
      throw wrong_input(fmt::format("a baseline has no key '{}'", key), suggest_name(key, known), inner.location);
  Baseline baseline;
  baseline.location = value.location;
  Fields fields;
  fields.text("name", baseline.name, "its name");
  fields.integer("epochs", baseline.epochs, 1, most_epochs, "how often training goes through all examples");
  fields.read(*table, "a baseline", {"model", "train", "probe", "set", "quick"});
  if (baseline.name.empty())
    throw wrong_input("a baseline has no name", message("add {}", Message::Entry{"name", {"…", {}}}), value.location);
  baseline.model = table_in(*table, "model");
  baseline.train = table_in(*table, "train");
  baseline.probe = table_in(*table, "probe");
  baseline.set = settings_in(table_in(*table, "set"));
  ValueTable quick = table_in(*table, "quick");
  baseline.quick_epochs = baseline.epochs;
  if (const auto epochs = quick.find("epochs"); epochs != quick.end()) {
    Fields of_quick;
    of_quick.integer("epochs", baseline.quick_epochs, 1, most_epochs, "how often training goes through all examples");
    of_quick.read({*epochs}, "quick");
    quick.erase(epochs);
  }
  baseline.quick = settings_in(quick);
  if (baseline.epochs > 0 && baseline.train.contains("steps"))
    throw wrong_input("epochs and train.steps both set the length of training", "keep one of the two",
                      baseline.location);
  return baseline;
}

std::vector<ResolvedRun> resolve_baselines(const Experiment& experiment, Preset preset,
                                           const std::vector<Override>& overrides) {
  std::vector<ResolvedRun> runs;
  for (const Baseline& baseline : experiment.baselines) {
    const auto is_own = [&baseline](const std::string& key) {
      return (key.starts_with("model.") && !baseline.model.empty()) ||
             (key.starts_with("train.") && !baseline.train.empty()) ||
             (key.starts_with("probe.") && !baseline.probe.empty());
    };
    Experiment part = experiment;
    if (!baseline.model.empty()) part.model = baseline.model;
    if (!baseline.train.empty()) part.train = baseline.train;
    if (!baseline.probe.empty()) part.probe = baseline.probe;
    std::erase_if(part.quick, [&](const auto& setting) { return is_own(setting.first); });
    std::vector<Override> settings = baseline.set;
    if (preset == Preset::quick) settings.insert(settings.end(), baseline.quick.begin(), baseline.quick.end());
    // What is looked at is the same for all, or they could not be measured against each other.
    for (const Override& change : overrides)
      if (!is_own(change.key) || (change.key.starts_with("probe.") && change.key != "probe.names"))
        settings.push_back(change);
    const std::int64_t epochs = preset == Preset::quick ? baseline.quick_epochs : baseline.epochs;
    if (epochs > 0) add_epochs(resolve(part, preset, settings, experiment.seed), epochs, baseline.location, settings);
    runs.push_back(resolve_run(part, preset, settings, experiment.seed));
  }
  return runs;
}

}  // namespace fovea
