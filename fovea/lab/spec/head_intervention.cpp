#include "fovea/lab/spec/head_intervention.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

using Pattern = AttentionRule::Pattern;

// The key that each kind is known by.
const std::vector<std::pair<std::string, HeadIntervention::Kind>> kind_words{{"ablate", HeadIntervention::Kind::ablate},
                                                                             {"scale", HeadIntervention::Kind::scale},
                                                                             {"copy", HeadIntervention::Kind::copy},
                                                                             {"hold", HeadIntervention::Kind::hold}};
// Takes "WORD.7" or "WORD.7." from the front of a text; 0 where there is no such number.
int take_number(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return 0;
  text.remove_prefix(word.size());
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('.')) text.remove_prefix(1);
  return number;
}

// "" (every head), "layer.2" or "layer.2.head.1".
void read_heads(const std::string& name, const Place& place, ScopedRule& change) {
  if (name.empty()) return;
  std::string_view rest = name;
  change.layer = take_number(rest, "layer.");
  if (change.layer > 0 && !rest.empty()) change.head = take_number(rest, "head.");
  if (change.layer < 1 || !rest.empty() || name != heads_name(change))
    throw wrong_input(fmt::format("'{}' names no head", name),
                      "write layer.1.head.2, or layer.1 for every head of a layer; both count from 1", place);
}

}  // namespace

std::string heads_name(const ScopedRule& change) {
  if (change.layer == 0) return "";
  if (change.head == 0) return fmt::format("layer.{}", change.layer);
  return fmt::format("layer.{}.head.{}", change.layer, change.head);
}

bool HeadIntervention::is_one(const ValueTable& table) {
  for (const auto& [word, kind] : kind_words)
    if (kind != Kind::hold && table.contains(word)) return true;
  const auto hold = table.find("hold");
  if (hold == table.end()) return false;
  const auto* const word = hold->second.as<std::string>();
  // "uniform" and "truth" without `of` are a Hold.
  return table.contains("of") ||
         (word && *word != "uniform" && *word != "truth" &&
          std::ranges::find(attention_patterns, *word, &std::pair<std::string_view, Pattern>::first) !=
              attention_patterns.end());
}

void HeadIntervention::settings(Fields& fields, std::string& heads) {
  switch (kind) {
    case Kind::hold:
      fields.choice("hold", change.rule.pattern, attention_patterns, "where attention is held");
      break;
    case Kind::scale:
      fields.number("scale", change.rule.scale, 0, HUGE_VAL, "what weights on right places are multiplied by");
      break;
    case Kind::ablate:
      fields.text("ablate", heads, "the head that gives nothing, as layer.1.head.2, or a layer's");
      break;
    case Kind::copy:
      fields.number("copy", change.rule.copy, 0, 1e6, "how strongly it says the tokens that it attends to");
      break;
  }
  if (kind != Kind::ablate)
    fields.text("of", heads, "a head, as layer.1.head.2, or a layer's; all of them if it is left out");
  when.settings(fields);
}

bool HeadIntervention::contradicts(const HeadIntervention& other) const {
  const auto meet = [](int one, int another) { return one == 0 || another == 0 || one == another; };
  return kind == other.kind && kind != Kind::ablate && meet(change.layer, other.change.layer) &&
         meet(change.head, other.change.head);
}

HeadIntervention HeadIntervention::read(const Value& value) {
  const ValueTable& table = *value.as<ValueTable>();
  const auto& [word, kind] =
      *std::ranges::find_if(kind_words, [&](const auto& one) { return table.contains(one.first); });
  const std::string owner = fmt::format("the intervention '{}'", word);
  HeadIntervention one;
  one.kind = kind;
  one.place = value.place;
  one.change.rule.ablated = kind == Kind::ablate;
  std::string heads;
  Fields fields;
  one.settings(fields, heads);
  fields.read(table, owner);
  require_interval(one.when, table, owner);
  if (kind == Kind::ablate && heads.empty())
    throw wrong_input(fmt::format("{} names no head", owner), "write layer.1.head.2, or layer.1", value.place);
  const auto named = table.find(kind == Kind::ablate ? "ablate" : "of");
  read_heads(heads, named == table.end() ? value.place : named->second.place, one.change);
  if (kind == Kind::copy && (one.change.layer == 0 || one.change.rule.copy == 0))
    throw wrong_input(
        one.change.layer == 0 ? fmt::format("{} names no layer", owner) : fmt::format("{} by 0 changes nothing", owner),
        "write a number above 0, and of = the last layer or a head of it", value.place);
  if (kind == Kind::scale && one.change.rule.scale == 1)
    throw wrong_input(fmt::format("{} by 1 changes nothing", owner), "take another number, or drop it", value.place);
  return one;
}

ValueTable HeadIntervention::write() const {
  ValueTable table;
  when.write(table);
  const std::string heads = heads_name(change);
  if (kind != Kind::ablate) table["of"] = {heads, {}};
  switch (kind) {
    case Kind::hold:
      for (const auto& [word, pattern] : attention_patterns)
        if (pattern == change.rule.pattern) table["hold"] = {std::string(word), {}};
      break;
    case Kind::scale:
      table["scale"] = {change.rule.scale, {}};
      break;
    case Kind::ablate:
      table["ablate"] = {heads, {}};
      break;
    case Kind::copy:
      table["copy"] = {change.rule.copy, {}};
      break;
  }
  return table;
}

}  // namespace fovea
