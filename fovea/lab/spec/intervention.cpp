#include "fovea/lab/spec/intervention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "fovea/base/error/names.h"

namespace fovea {

namespace {

// The keys that interventions are known by.
const std::vector<std::string> kinds{"hold", "scale", "ablate",     "copy",      "freeze",
                                     "rate", "clamp", "transplant", "embeddings"};
const Fields::Choices<Group> group_words{{"attention", Group::attention}, {"body", Group::body}};
using Pattern = AttentionRule::Pattern;
const Fields::Choices<Pattern> hold_words{{"uniform", Pattern::uniform}, {"truth", Pattern::truth}};

std::string word_of(const auto& words, const auto& meaning) {
  return std::string(
      std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.second == meaning; })->first);
}

// Of the kinds that are in force from one step until another.
template <class Kind>
Kind read(const Value& value, const std::string& owner) {
  Kind kind;
  kind.place = value.place;
  Fields fields;
  kind.settings(fields);
  const ValueTable& table = *value.as<ValueTable>();
  fields.read(table, owner);
  require_interval(kind.when, table, owner);
  return kind;
}

// The run may be a number, as people write it, or text: one more reason than the others have for reading it apart.
Transplant read_transplant(const Value& value, const ValueTable& table) {
  const std::string owner = "the intervention 'transplant'";
  Transplant transplant;
  transplant.place = value.place;
  ValueTable rest = table;
  const Value& run = table.at("transplant");
  if (const auto* number = run.as<std::int64_t>()) rest["transplant"] = {std::to_string(*number), run.place};
  Fields fields;
  transplant.settings(fields);
  fields.read(rest, owner);
  if (transplant.run.empty() || transplant.run.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw wrong_input(message("{} takes from a run, not from {}", owner, run), Remedy::name_run(), run.place);
  if (transplant.of.empty())
    throw wrong_input(fmt::format("{} does not say what", owner), message("drop {}", Message::Entry{"of", {"", {}}}),
                      value.place);
  if (transplant.to.empty()) transplant.to = transplant.of;
  const auto is_group = [](const std::string& word) {
    return word == "all" ||
           std::ranges::find(group_words, word, &std::pair<std::string_view, Group>::first) != group_words.end();
  };
  if (transplant.to != transplant.of && (is_group(transplant.of) || is_group(transplant.to)))
    throw wrong_input(fmt::format("{} cannot bring '{}' to '{}'", owner, transplant.of, transplant.to),
                      "a group comes to the same group; names of parameters can differ", value.place);
  return transplant;
}

Embed read_embed(const Value& value, const ValueTable& table) {
  const std::string owner = "the intervention 'embeddings'";
  Embed embed;
  embed.place = value.place;
  Fields fields;
  embed.settings(fields);
  fields.read(table, owner);
  if (embed.file.empty()) throw wrong_input(fmt::format("{} names no file", owner), "name one", value.place);
  return embed;
}

ValueTable interval_table(const Interval& when) {
  ValueTable table;
  when.write(table);
  return table;
}

template <class Kind>
void refuse_meeting(const std::vector<Kind>& all, const std::string& what, const auto& same) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (same(all[i], all[j]) && all[i].when.meets(all[j].when))
        throw wrong_input(
            fmt::format("two interventions {} at step {}", what, std::max(all[i].when.from, all[j].when.from)),
            "give them from and until so that they do not meet", all[i].place);
}

}  // namespace

void Hold::settings(Fields& fields) {
  fields.choice("hold", pattern, hold_words, "where attention is held");
  when.settings(fields);
}

void Freeze::settings(Fields& fields) {
  fields.text("freeze", of,
              "the parameters that do not move: \"attention\", \"body\", or a name and all that stands under it");
  when.settings(fields);
}

std::optional<Group> Freeze::group() const {
  const auto found = std::ranges::find(group_words, of, &std::pair<std::string_view, Group>::first);
  return found == group_words.end() ? std::nullopt : std::optional(found->second);
}

void OwnRate::settings(Fields& fields) {
  fields.number("rate", rate, 0, HUGE_VAL, "the learning rate");
  fields.choice("of", group, group_words, "the parameters that have it");
  when.settings(fields);
}

void Clamp::settings(Fields& fields) {
  fields.text("clamp", parameter, "the parameter that is held at one value");
  fields.number("at", value, -HUGE_VAL, HUGE_VAL, "the value");
  when.settings(fields);
}

void Transplant::settings(Fields& fields) {
  fields.text("transplant", run, "the run whose weights are taken: its number, or its hash");
  fields.text("of", of, "which of them: \"attention\", \"body\", \"all\", or a name and all that stands under it");
  fields.text("to", to, "the name they have here, if it is another one");
  fields.integer("at", at, 0, Fields::no_limit, "how many updates are done then");
}

void Embed::settings(Fields& fields) {
  fields.text("embeddings", file, "a file of word vectors, as word2vec and GloVe write them in text");
  fields.text("digest", digest, "what the file must hold; left out: what it holds now");
  fields.text("to", to, "the table of embeddings that they are put in");
  fields.flag("frozen", frozen, "words that have a vector keep it");
}

Value example_hold() { return {ValueTable{{"hold", {"uniform", {}}}, {"until", {100, {}}}}, {}}; }

Interventions Interventions::parse(const ValueList& list) {
  Interventions all;
  for (const Value& value : list) {
    const ValueTable* const table = value.as<ValueTable>();
    if (!table)
      throw wrong_input(message("an intervention must be {}, not {} ({})", ValueKind::table, value.kind(), value),
                        message("write it as {}", example_hold()), value.place);
    if (HeadIntervention::is_one(*table)) {
      all.heads.push_back(HeadIntervention::read(value));
    } else if (table->contains("hold")) {
      all.holds.push_back(read<Hold>(value, "the intervention 'hold'"));
    } else if (table->contains("freeze")) {
      all.freezes.push_back(read<Freeze>(value, "the intervention 'freeze'"));
    } else if (table->contains("rate")) {
      all.rates.push_back(read<OwnRate>(value, "the intervention 'rate'"));
    } else if (table->contains("clamp")) {
      if (!table->contains("at"))
        throw wrong_input("the intervention 'clamp' does not say at which value",
                          message("add it, as in {}", Message::Entry{"at", {0.5, {}}}), value.place);
      all.clamps.push_back(read<Clamp>(value, "the intervention 'clamp'"));
    } else if (table->contains("transplant")) {
      all.transplants.push_back(read_transplant(value, *table));
    } else if (table->contains("embeddings")) {
      all.embeds.push_back(read_embed(value, *table));
    } else {
      Remedy remedy =
          fmt::format("it needs one of {} or {}", fmt::join(kinds.begin(), kinds.end() - 1, ", "), kinds.back());
      for (const auto& entry : *table) remedy = suggest_name(entry.first, kinds, std::move(remedy));
      throw wrong_input(message("the intervention {} is of no known kind", value), remedy, value.place);
    }
  }
  if (all.frozen_names().size() > 64)
    throw wrong_input("more than 64 names are frozen apart", "freeze what stands above some of them",
                      all.freezes.back().place);
  refuse_meeting(all.holds, "hold attention", [](const Hold&, const Hold&) { return true; });
  refuse_meeting(all.heads, "hold, scale or copy by one head",
                 [](const HeadIntervention& a, const HeadIntervention& b) { return a.contradicts(b); });
  refuse_meeting(all.rates, "set the rate of one group",
                 [](const OwnRate& a, const OwnRate& b) { return a.group == b.group; });
  refuse_meeting(all.clamps, "clamp one parameter",
                 [](const Clamp& a, const Clamp& b) { return a.parameter == b.parameter; });
  for (std::size_t i = 0; i < all.transplants.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all.transplants[i].at == all.transplants[j].at && all.transplants[i].to == all.transplants[j].to)
        throw wrong_input(
            fmt::format("two transplants to '{}' at step {}", all.transplants[i].to, all.transplants[i].at),
            "keep one of them", all.transplants[i].place);
  for (std::size_t i = 0; i < all.embeds.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all.embeds[i].to == all.embeds[j].to)
        throw wrong_input(fmt::format("two sets of embeddings for '{}'", all.embeds[i].to), "keep one of them",
                          all.embeds[i].place);
  return all;
}

ValueList Interventions::write() const {
  ValueList list;
  const auto put = [&list](ValueTable table, const Place& place) { list.push_back({std::move(table), place}); };
  for (const Hold& hold : holds) {
    ValueTable table = interval_table(hold.when);
    table["hold"] = {word_of(hold_words, hold.pattern), {}};
    put(std::move(table), hold.place);
  }
  for (const HeadIntervention& head : heads) put(head.write(), head.place);
  for (const Freeze& freeze : freezes) {
    ValueTable table = interval_table(freeze.when);
    table["freeze"] = {freeze.of, {}};
    put(std::move(table), freeze.place);
  }
  for (const OwnRate& rate : rates) {
    ValueTable table = interval_table(rate.when);
    table["rate"] = {rate.rate, {}};
    table["of"] = {word_of(group_words, rate.group), {}};
    put(std::move(table), rate.place);
  }
  for (const Clamp& clamp : clamps) {
    ValueTable table = interval_table(clamp.when);
    table["clamp"] = {clamp.parameter, {}};
    table["at"] = {clamp.value, {}};
    put(std::move(table), clamp.place);
  }
  for (const Transplant& transplant : transplants)
    put({{"transplant", {transplant.run, {}}},
         {"of", {transplant.of, {}}},
         {"to", {transplant.to, {}}},
         {"at", {transplant.at, {}}}},
        transplant.place);
  for (const Embed& embed : embeds)
    put({{"embeddings", {embed.file, {}}},
         {"digest", {embed.digest, {}}},
         {"to", {embed.to, {}}},
         {"frozen", {embed.frozen, {}}}},
        embed.place);
  return list;
}

std::vector<ScopedRule> Interventions::rules_at(std::int64_t step) const {
  std::vector<ScopedRule> rules;
  for (const Hold& hold : holds)
    if (hold.when.holds(step)) rules.push_back({0, 0, {hold.pattern}});
  for (const HeadIntervention& head : heads)
    if (head.when.holds(step)) rules.push_back(head.change);
  return rules;
}

bool Interventions::frozen_at(Group group, std::int64_t step) const {
  return std::any_of(freezes.begin(), freezes.end(),
                     [&](const Freeze& f) { return f.group() == group && f.when.holds(step); });
}

std::vector<std::string> Interventions::frozen_names() const {
  std::vector<std::string> names;
  for (const Freeze& freeze : freezes)
    if (!freeze.group() && std::ranges::find(names, freeze.of) == names.end()) names.push_back(freeze.of);
  return names;
}

std::uint64_t Interventions::names_frozen_at(std::int64_t step) const {
  std::uint64_t frozen = 0;
  const std::vector<std::string> names = frozen_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::any_of(freezes, [&](const Freeze& f) { return f.of == names[i] && f.when.holds(step); }))
      frozen |= std::uint64_t{1} << i;
  return frozen;
}

std::optional<double> Interventions::rate_at(Group group, std::int64_t step) const {
  for (const OwnRate& rate : rates)
    if (rate.group == group && rate.when.holds(step)) return rate.rate;
  return std::nullopt;
}

std::int64_t Interventions::next_change(std::int64_t step) const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  const auto consider = [&](const Interval& when) {
    if (when.from > step) next = std::min(next, when.from);
    if (when.until && *when.until > step) next = std::min(next, *when.until);
  };
  for (const Hold& hold : holds) consider(hold.when);
  for (const HeadIntervention& head : heads) consider(head.when);
  for (const Freeze& freeze : freezes) consider(freeze.when);
  for (const OwnRate& rate : rates) consider(rate.when);
  return next;
}

}  // namespace fovea
