#include "fovea/lab/intervention/intervention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fovea/base/error/names.h"

namespace fovea {

namespace {

constexpr std::size_t most_frozen_names = 64;  // the bits of Paces::frozen_names

std::unique_ptr<Intervention> read(const Value& value) {
  const auto& kinds = Registry<Intervention>::instance().all();
  const ValueTable* const written = value.as<ValueTable>();
  if (!written)
    throw wrong_input(message("an intervention must be {}, not {} ({})", ValueKind::table, value.kind(), value),
                      message("write it as {}", example_intervention()), value.location);
  const auto kind = std::ranges::find_if(kinds, [&](const auto& known) { return written->contains(known.first); });
  if (kind == kinds.end()) {
    const std::vector<std::string> names = Registry<Intervention>::instance().names();
    for (const auto& [key, ignored] : *written)
      if (const std::string near = nearest_name(key, names); !near.empty())
        throw wrong_input(fmt::format("there is no intervention '{}'", key), Remedy::did_you_mean(near),
                          value.location);
    throw wrong_input(
        message("{} names no intervention", value),
        fmt::format("write one of {} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back()),
        value.location);
  }
  std::unique_ptr<Intervention> one = kind->second.make();
  one->kind = kind->first;
  one->location = value.location;
  ValueTable table = *written;
  one->rewrite(table);
  const std::string owner = fmt::format("the intervention '{}'", one->kind);
  Fields fields;
  one->settings(fields);
  fields.read(table, owner);
  require_interval(one->when, table, owner);
  one->finish(table);
  return one;
}

}  // namespace

std::string Intervention::name() const { return fmt::format("the intervention '{}'", kind); }

ValueTable Intervention::write() {
  Fields fields;
  settings(fields);
  return fields.write();
}

void Intervention::refuse_at_one_step(const Intervention& earlier, const std::string& what) const {
  if (when.meets(earlier.when))
    throw wrong_input(fmt::format("two interventions {} at step {}", what, std::max(when.from, earlier.when.from)),
                      "change from and until so that they do not overlap", location);
}

Value example_intervention() { return {ValueTable{{"hold", {"uniform", {}}}, {"until", {100, {}}}}, {}}; }

Interventions Interventions::parse(const ValueList& list) {
  Interventions interventions;
  auto& all = interventions.all;
  for (const Value& value : list) all.push_back(read(value));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->rank() < b->rank(); });
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) all[i]->check_beside(*all[j]);
  (void)interventions.frozen_names();
  return interventions;
}

ValueList Interventions::write() const {
  ValueList list;
  for (const auto& one : all) list.push_back({one->write(), one->location});
  return list;
}

void Interventions::pin() const {
  for (const auto& one : all) one->pin();
}

void Interventions::check(const Capabilities& capabilities) const {
  for (const auto& one : all) {
    if (one->when.from > capabilities.steps)
      throw wrong_input(fmt::format("the intervention begins at step {}, and training ends at step {}", one->when.from,
                                    capabilities.steps),
                        fmt::format("start it earlier, or set train.steps to {} or more", one->when.from),
                        one->location);
    one->check(capabilities);
  }
}

void Interventions::prepare(const Preparation& preparation) const {
  for (const auto& one : all) one->prepare(preparation);
}

std::vector<std::string> Interventions::frozen_names() const {
  std::vector<std::string> names;
  for (const auto& one : all) {
    const std::string name = one->frozen_name();
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    if (names.size() > most_frozen_names)
      throw wrong_input("more than 64 names are frozen one by one", "freeze the group above some of them",
                        one->location);
  }
  return names;
}

bool Interventions::act_on_attention() const {
  return std::ranges::any_of(all, [](const auto& one) { return one->acts_on_attention(); });
}

}  // namespace fovea
