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
                      found->second.place);
  return *inner;
}

// { "train.rate" = 1e-3 }
std::vector<Override> settings_in(const ValueTable& table) {
  std::vector<Override> settings;
  for (const auto& [key, value] : table) {
    if (key.find('.') == std::string::npos)
      throw wrong_input(fmt::format("'{}' is no setting", key),
                        message("write it as {}, in quotes", Message::Entry{"train.rate", {1e-3, {}}}), value.place);
    settings.push_back({key, value});
  }
  return settings;
}

// Epochs as the steps they are of this task, with a look after each.
void add_epochs(const RunSpec& spec, std::int64_t epochs, const Place& place, std::vector<Override>& settings) {
  const std::int64_t examples = make_task(spec)->examples(Split::train);
  if (examples == 0)
    throw wrong_input("this task draws every example afresh, so it has no epochs", "set train.steps", place);
  const std::int64_t batch = *spec.train.at("batch").as<std::int64_t>();
  const std::int64_t epoch = (examples + batch - 1) / batch;
  settings.push_back({"train.steps", {epochs * epoch, place}});
  settings.push_back({"probe.every", {epoch, place}});
}

}  // namespace

Baseline read_baseline(const Value& value) {
  const auto* const table = value.as<ValueTable>();
  if (!table)
    throw wrong_input(message("what runs are measured against must be {}", ValueKind::table),
                      message("write {}", Message::Tables{"against"}), value.place);
  static const std::vector<std::string> known{"name", "model", "train", "probe", "epochs", "set", "quick"};
  for (const auto& [key, inner] : *table)
    if (std::ranges::find(known, key) == known.end())
      throw wrong_input(fmt::format("what runs are measured against has no key '{}'", key), suggest_name(key, known),
                        inner.place);
  Baseline against;
  against.place = value.place;
  Fields fields;
  fields.text("name", against.name, "what it is called");
  fields.integer("epochs", against.epochs, 1, most_epochs, "how often training goes through all examples");
  fields.read(*table, "what runs are measured against", {"model", "train", "probe", "set", "quick"});
  if (against.name.empty())
    throw wrong_input("what runs are measured against has no name",
                      message("add {}", Message::Entry{"name", {"…", {}}}), value.place);
  against.model = table_in(*table, "model");
  against.train = table_in(*table, "train");
  against.probe = table_in(*table, "probe");
  against.set = settings_in(table_in(*table, "set"));
  ValueTable quick = table_in(*table, "quick");
  against.quick_epochs = against.epochs;
  if (const auto epochs = quick.find("epochs"); epochs != quick.end()) {
    Fields of_quick;
    of_quick.integer("epochs", against.quick_epochs, 1, most_epochs, "how often training goes through all examples");
    of_quick.read({*epochs}, "quick");
    quick.erase(epochs);
  }
  against.quick = settings_in(quick);
  if (against.epochs > 0 && against.train.contains("steps"))
    throw wrong_input("epochs and train.steps both say how long to train", "keep one of the two", against.place);
  return against;
}

std::vector<RunSpec> resolve_baselines(const Experiment& experiment, Preset preset,
                                       const std::vector<Override>& overrides) {
  std::vector<RunSpec> specs;
  for (const Baseline& against : experiment.against) {
    const auto is_own = [&against](const std::string& key) {
      return (key.starts_with("model.") && !against.model.empty()) ||
             (key.starts_with("train.") && !against.train.empty()) ||
             (key.starts_with("probe.") && !against.probe.empty());
    };
    Experiment part = experiment;
    if (!against.model.empty()) part.model = against.model;
    if (!against.train.empty()) part.train = against.train;
    if (!against.probe.empty()) part.probe = against.probe;
    std::erase_if(part.quick, [&](const auto& setting) { return is_own(setting.first); });
    std::vector<Override> settings = against.set;
    if (preset == Preset::quick) settings.insert(settings.end(), against.quick.begin(), against.quick.end());
    // What is looked at is the same for all, or they could not be measured against each other.
    for (const Override& change : overrides)
      if (!is_own(change.key) || (change.key.starts_with("probe.") && change.key != "probe.names"))
        settings.push_back(change);
    const std::int64_t epochs = preset == Preset::quick ? against.quick_epochs : against.epochs;
    if (epochs > 0) add_epochs(resolve(part, preset, settings, experiment.seed), epochs, against.place, settings);
    specs.push_back(resolve(part, preset, settings, experiment.seed));
  }
  return specs;
}

}  // namespace fovea
