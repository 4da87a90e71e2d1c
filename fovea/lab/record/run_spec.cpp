#include "fovea/lab/record/run_spec.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "fovea/base/old_names.h"
#include "fovea/io/digest.h"

namespace fovea {

namespace {

// Calls line("task.vocab", "60") for each setting, in order. Tables open up into dotted keys.
void each_setting(const std::string& prefix, const ValueTable& table, const auto& line) {
  for (const auto& [key, value] : table) {
    const std::string dotted = prefix.empty() ? key : prefix + "." + key;
    if (const auto* inner = std::get_if<ValueTable>(&value.data)) each_setting(dotted, *inner, line);
    else line(dotted, value.text());
  }
}

template <class T>
T section(const ValueTable& table, const std::string& name) {
  const auto found = table.find(name);
  if (found == table.end())
    throw wrong_input(fmt::format("the run's spec has no '{}'", name), "use a spec that this program wrote");
  const T* const value = found->second.as<T>();
  if (!value)
    throw wrong_input(message("'{}' of the run's spec is {}", name, found->second.kind()),
                      "use a spec that this program wrote");
  return *value;
}

// If the digest of a file is known, the location of the file does not matter. Kinds are named in this file, because
// their room comes later, and the hash of a stored run must not depend on what is registered.
ValueList without_locations(ValueList interventions) {
  for (Value& value : interventions) {
    auto* const table = std::get_if<ValueTable>(&value.data);
    if (table && table->contains("embeddings") && table->contains("digest")) table->erase("embeddings");
  }
  return interventions;
}

using NameOf = std::string (*)(NameKind, std::string_view);

ValueTable with_names(const ValueTable& probe, NameOf name_of) {
  ValueTable named;
  for (const auto& [key, value] : probe) {
    const std::string name = name_of(NameKind::setting, "probe." + key).substr(std::string_view("probe.").size());
    Value& one = named[name] = value;
    auto* const list = std::get_if<ValueList>(&one.data);
    if (!list || (name_now(NameKind::setting, "probe." + key) != "probe.optional" && key != "names")) continue;
    for (Value& probe_name : *list)
      if (auto* const text = std::get_if<std::string>(&probe_name.data)) *text = name_of(NameKind::probe, *text);
  }
  return named;
}

ValueTable with_names_in_condition(ValueTable train, NameOf name_of) {
  if (const auto found = train.find("stop_when"); found != train.end())
    if (auto* const text = std::get_if<std::string>(&found->second.data)) *text = with_names(*text, name_of);
  return train;
}

// What attention is held at, in the order of the interventions: "truth", "uniform, truth"; "none" where it never is.
std::string holds_of(const ValueList& interventions) {
  std::string holds;
  for (const Value& value : interventions)
    if (const auto* const table = value.as<ValueTable>(); table && table->contains("hold"))
      if (const auto* const held = table->at("hold").as<std::string>()) holds += (holds.empty() ? "" : ", ") + *held;
  return holds.empty() ? "none" : holds;
}

// In words, what is done and when: "ablate layer.1.head.1, from 200; hold uniform, until 100"; "none" where nothing
// is.
std::string words_of(const ValueList& interventions) {
  std::string words;
  for (const Value& value : interventions) {
    const auto* const table = value.as<ValueTable>();
    if (!table) continue;
    std::string what, when;
    for (const auto& [key, setting] : *table) {
      std::string& part = key == "from" || key == "until" ? when : what;
      const auto* const text = setting.as<std::string>();
      part += fmt::format("{}{} {}", part.empty() ? "" : ", ", key, text ? *text : setting.text());
    }
    words += (words.empty() ? "" : "; ") + what + (when.empty() ? "" : ", ") + when;
  }
  return words.empty() ? "none" : words;
}

}  // namespace

ValueTable RunSpec::table() const {
  return {{"intervene", {interventions, {}}},
          {"model", {model, {}}},
          {"probe", {probe, {}}},
          {"seed", {static_cast<std::int64_t>(seed), {}}},
          {"task", {task, {}}},
          {"train", {train, {}}}};
}

std::string RunSpec::text() const {
  std::string text;
  each_setting("", table(),
               [&text](const std::string& key, const std::string& value) { text += key + " = " + value + "\n"; });
  return text;
}

bool RunSpec::changes_numbers(std::string_view setting) {
  return setting != "train.threads" && setting != "train.keep_weights";
}

std::string RunSpec::hash() const {
  ValueTable all = table();
  all["intervene"] = {without_locations(interventions), {}};
  // With first names, so that a rename changes no hash.
  all["probe"] = {with_names(probe, first_name), {}};
  all["train"] = {with_names_in_condition(train, first_name), {}};
  Digest digest;
  each_setting("", all, [&digest](const std::string& key, const std::string& value) {
    if (!changes_numbers(key)) return;
    digest.add(key);
    digest.add(" = ");
    digest.add(value);
    digest.add("\n");
  });
  return digest.hex();
}

std::uint64_t RunSpec::start() const {
  const auto written = train.find("start");
  const auto* const own = written == train.end() ? nullptr : written->second.as<std::int64_t>();
  return own ? static_cast<std::uint64_t>(*own) : seed;
}

bool RunSpec::elsewhere() const { return setting("model.name") == Value{std::string("another-program"), {}}; }

std::optional<Value> RunSpec::setting(const std::string& dotted) const {
  if (dotted == "seed") return Value{static_cast<std::int64_t>(seed), {}};
  if (dotted == "interventions") return Value{static_cast<std::int64_t>(interventions.size()), {}};
  if (dotted == "hold") return Value{holds_of(interventions), {}};
  if (dotted == "intervene") return Value{words_of(interventions), {}};
  if (dotted == "train.start") return Value{static_cast<std::int64_t>(start()), {}};
  const std::size_t dot = dotted.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::array<std::pair<std::string_view, const ValueTable*>, 4> sections{
      {{"task", &task}, {"model", &model}, {"train", &train}, {"probe", &probe}}};
  const ValueTable* here = nullptr;
  for (const auto& [name, table] : sections)
    if (std::string_view(dotted).substr(0, dot) == name) here = table;
  std::size_t begin = dot + 1;
  while (here) {
    const std::size_t end = dotted.find('.', begin);
    const auto found = here->find(dotted.substr(begin, end == std::string::npos ? end : end - begin));
    if (found == here->end()) return std::nullopt;
    if (end == std::string::npos) return found->second;
    here = found->second.as<ValueTable>();
    begin = end + 1;
  }
  return std::nullopt;
}

RunSpec run_spec_from_table(const ValueTable& table) {
  RunSpec spec;
  spec.task = section<ValueTable>(table, "task");
  spec.model = section<ValueTable>(table, "model");
  spec.train = with_names_in_condition(section<ValueTable>(table, "train"), name_now);
  spec.probe = with_names(section<ValueTable>(table, "probe"), name_now);
  spec.interventions = section<ValueList>(table, "intervene");
  spec.seed = static_cast<std::uint64_t>(section<std::int64_t>(table, "seed"));
  return spec;
}

}  // namespace fovea
