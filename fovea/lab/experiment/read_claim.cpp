// Reads the claims of an experiment file, as claim.h declares (room lab/experiment). read_experiment.cpp of this room
// calls it, and it checks their fields and texts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "fovea/lab/experiment/claim.h"
#include "fovea/lab/experiment/read_values.h"
#include "fovea/lab/query/expression.h"

namespace fovea {

namespace {

constexpr int most_words_of_title = 12, most_words_of_text = 25;

bool is_word_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || byte >= 0x80;
}

// Between blanks; a sign alone, as "=", is none.
std::vector<std::string> words_in(const std::string& sentence) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < sentence.size();) {
    const std::size_t end = std::min(sentence.find_first_of(" \t\n", i), sentence.size());
    const std::string word = sentence.substr(i, end - i);
    if (std::ranges::any_of(word, is_word_letter)) words.push_back(word);
    i = end + 1;
  }
  return words;
}

void check_sentence(const std::string& sentence, const std::string& key, int most, const Location& location) {
  const std::vector<std::string> words = words_in(sentence);
  if (words.empty()) throw wrong_input(fmt::format("'{}' is empty", key), "write a sentence", location);
  if (std::ssize(words) > most)
    throw wrong_input(fmt::format("'{}' has {} words", key, words.size()),
                      fmt::format("use {} at most; move the rest to other fields", most), location);
  std::string first = words.front();
  std::erase_if(first, [](char c) { return !is_word_letter(c); });
  for (const char* const conjunction : {"And", "But", "Than", "It", "They"})
    if (first == conjunction)
      throw wrong_input(fmt::format("'{}' begins with '{}'", key, conjunction),
                        "begin with the subject of the sentence", location);
}

// "the claim 'late'", or "a claim" without a name.
std::string owner_of(const Claim& claim) {
  return claim.text.name.empty() ? "a claim" : fmt::format("the claim '{}'", claim.text.name);
}

constexpr const char* needed_keys =  // prose: off data-that-tell, because the key is named
    "a claim needs 'says', metric, and at_least or at_most. It may also have name, title "
    "and null, and where, form, rivals, source, expect and control";

Value example_null() { return {ValueTable{{"value", {std::int64_t{1}, {}}}, {"means", {"…", {}}}}, {}}; }

Value example_rival() { return {ValueTable{{"name", {"shuffled labels", {}}}, {"value", {1.0, {}}}}, {}}; }

void read_null(const Value& value, ClaimText& text) {
  bool has_value = false;
  read_keys(take<ValueTable>(value, "null", ValueKind::table, message("write null = {}", example_null())), "null",
            {{"value", [&](const Value& v) { text.null = take_number(v, "value"), has_value = true; }},
             {"means", [&](const Value& v) { text.null_means = take_text(v, "means"); }}});
  if (!has_value)
    throw wrong_input(
        "'null' has no 'value'",
        message("add {}, the metric's value without the effect", Message::Entry{"value", {std::int64_t{1}, {}}}),
        value.location);
  if (text.null_means.empty())
    throw wrong_input("'null' has no 'means'",
                      message("add {}, a text that explains this value", Message::Entry{"means", {"…", {}}}),
                      value.location);
}

ClaimText::Rival read_rival(const Value& value) {
  ClaimText::Rival rival;
  rival.value = std::nan("");
  read_keys(take<ValueTable>(value, "rivals", ValueKind::table), "a rival",
            {{"name", [&](const Value& v) { rival.name = take_text(v, "name"); }},
             {"value", [&](const Value& v) { rival.value = take_number(v, "value"); }}});
  if (rival.name.empty() || std::isnan(rival.value))
    throw wrong_input("a rival needs a name and a value", message("write {}", example_rival()), value.location);
  return rival;
}

void check_name_of_claim(const std::string& name, const Location& location) {
  const bool spelt = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!spelt)
    throw wrong_input(fmt::format("'{}' cannot be the name of a claim", name),
                      "use small letters, digits and '-', as in 'permutations-slower'", location);
}

bool is_reference(const std::string& source) {
  const std::size_t end = source.find(']');
  return source.size() > 2 && source[0] == '[' && end != source.npos && end > 1 &&
         source.find_first_not_of("0123456789", 1) == end;
}

void check_bounds(const Claim& claim) {
  if (!claim.at_least && !claim.at_most)
    throw wrong_input(owner_of(claim) + " has no bound", "add at_least or at_most, or both", claim.location);
  for (const auto& bound : {claim.at_least, claim.at_most})
    if (bound && std::isnan(*bound))
      throw wrong_input(fmt::format("a bound of {} is not a number", owner_of(claim)), "write a number other than nan",
                        claim.location);
  if (claim.at_least && claim.at_most && *claim.at_least > *claim.at_most)
    throw wrong_input(
        fmt::format("at_least = {} is above at_most = {}, so no value fits", *claim.at_least, *claim.at_most),
        "swap them", claim.location);
}

// The null value is the metric without the effect: a claim that it supports shows nothing.
void check_null(const Claim& claim, const Location& location) {
  const double null = claim.text.null;
  if (null < claim.at_least.value_or(-HUGE_VAL) || null > claim.at_most.value_or(HUGE_VAL)) return;
  throw wrong_input(std::isnan(null) ? fmt::format("the null value of {} is not a number", owner_of(claim))
                                     : fmt::format("the null value {} of {} meets its own bound, {}", null,
                                                   owner_of(claim), claim.wanted()),
                    "give the value that the metric has if the claim is wrong, or change the bound", location);
}

// Of a claim that has a title, or another key of the whole schema: `given`. `locations` has those of its keys.
void check_schema(const Claim& claim, const std::map<std::string, Location>& locations, const std::string& given) {
  std::string lacking;
  Message remedy("add ");
  const auto needs = [&](const char* key, const char* what, const Value& example) {
    if (locations.contains(key)) return;
    const std::string before = lacking.empty() ? "" : " and ";
    lacking += fmt::format("{}no '{}'", before, key);
    remedy.append(message("{}{} ({})", before, Message::Entry{key, example}, what));
  };
  needs("title", "a sentence of at most 12 words", {"…", {}});
  needs("name", "small letters, digits and '-'", {"…", {}});
  needs("null", "the value of the metric if the claim is wrong", example_null());
  if (!lacking.empty())
    throw wrong_input(fmt::format("{} has '{}', but {}", owner_of(claim), given, lacking), std::move(remedy),
                      claim.location);
  check_name_of_claim(claim.text.name, locations.at("name"));
  check_sentence(claim.text.title, "title", most_words_of_title, locations.at("title"));
  check_sentence(claim.says, "says", most_words_of_text, locations.at("says"));
  check_null(claim, locations.at("null"));
  if (const auto source = locations.find("source"); source != locations.end() && !is_reference(claim.text.source))
    throw wrong_input(fmt::format("source cannot be '{}'", claim.text.source),
                      "begin with a number of docs/reference/sources.md, as in '[1], section 4'", source->second);
  if (claim.text.refutes && claim.text.source.empty())
    throw wrong_input(owner_of(claim) + " is expected to be refuted, and has no source",
                      "add the source whose sentence it tests", claim.location);
  if (claim.text.refutes && claim.text.control.empty())
    throw wrong_input(owner_of(claim) + " is expected to be refuted, and has no control",
                      "add control, the name of a claim that is supported if the test can succeed", claim.location);
}

// A test that refutes must be able to succeed: a claim of the same forms shows that.
void check_control(const Claim& claim, const std::vector<Claim>& claims) {
  const std::string& name = claim.text.control;
  if (name.empty()) return;
  const auto control = std::ranges::find_if(claims, [&name](const Claim& one) { return one.text.name == name; });
  if (control == claims.end())
    throw wrong_input(fmt::format("there is no claim '{}' to be the control", name), "name a claim of this file",
                      claim.location);
  if (control->text.refutes || (control->preset && control->preset != claim.preset))
    throw wrong_input(fmt::format("the claim '{}' cannot be the control", name),
                      "name a claim of the same form that is expected to be supported", claim.location);
}

}  // namespace

Claim read_claim(const Value& value, const Definitions& definitions) {
  Claim claim;
  ClaimText& text = claim.text;
  claim.location = value.location;
  const ValueTable& table = take<ValueTable>(value, "claim", ValueKind::table);
  std::map<std::string, Location> locations;
  for (const auto& [key, inner] : table) locations[key] = inner.location;
  read_keys(
      table, "a claim", needed_keys,
      {{"name", [&](const Value& v) { text.name = take_text(v, "name"); }},
       {"title", [&](const Value& v) { text.title = take_text(v, "title"); }},
       {"says", [&](const Value& v) { claim.says = take_text(v, "says"); }},
       {"metric", [&](const Value& v) { text.formula = take_text(v, "metric"); }},
       {"where", [&](const Value& v) { text.where = take_text(v, "where"); }},
       {"at_least", [&](const Value& v) { claim.at_least = take_number(v, "at_least"); }},
       {"at_most", [&](const Value& v) { claim.at_most = take_number(v, "at_most"); }},
       {"null", [&](const Value& v) { read_null(v, text); }},
       {"rivals",
        [&](const Value& v) {
          for (const Value& rival : take<ValueList>(
                   v, "rivals", ValueKind::list, message("write rivals = {}", Value{ValueList{example_rival()}, {}})))
            text.rivals.push_back(read_rival(rival));
        }},
       {"expect",
        [&](const Value& v) {
          const std::string word = take_text(v, "expect");
          if (word != "supported" && word != "refuted")
            throw wrong_input(fmt::format("expect must be \"supported\" or \"refuted\", not \"{}\"", word),
                              "without it, \"supported\" is expected", v.location);
          text.refutes = word == "refuted";
        }},
       {"control", [&](const Value& v) { text.control = take_text(v, "control"); }},
       {"source", [&](const Value& v) { text.source = take_text(v, "source"); }},
       {"form", [&](const Value& v) {
          const std::string word = take_text(v, "form");
          claim.preset = preset_of(word);
          if (!claim.preset)
            throw wrong_input(fmt::format("form must be \"quick\" or \"full\", not \"{}\"", word),
                              "without it, the claim is checked in both forms", v.location);
        }}});
  if (claim.says.empty())
    throw wrong_input(owner_of(claim) + " has no 'says'",  // prose: off data-that-tell, because the key is named
                      message("add {}, a sentence that states the claim", Message::Entry{"says", {"…", {}}}),
                      claim.location);
  if (text.formula.empty())
    throw wrong_input(owner_of(claim) + " has no metric",
                      message("add one, as in {}", Message::Entry{"metric", {"share(accuracy >= 0.95)", {}}}),
                      claim.location);
  claim.metric = definitions.expand(text.formula);
  claim.where = definitions.expand(text.where);
  Expression::parse(claim.metric, locations.at("metric"));
  if (!claim.where.empty())
    Expression::parse(claim.where, locations.at("where")).require_single_run().require_condition();
  check_bounds(claim);
  static constexpr const char* of_schema[] = {"name", "title", "null", "rivals", "expect", "control", "source"};
  const auto* const given = std::ranges::find_if(of_schema, [&](const char* key) { return locations.contains(key); });
  if (given != std::end(of_schema)) check_schema(claim, locations, *given);
  for (const Definition& used : definitions.used_by(text.formula + " | " + text.where))
    text.define.emplace_back(used.name, used.text);
  return claim;
}

void check_claim_names(const std::vector<Claim>& claims, const Definitions& definitions) {
  std::set<std::string> used;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (const auto& [name, text] : claims[i].text.define) used.insert(name);
    check_control(claims[i], claims);
    for (std::size_t j = 0; j < i && !claims[i].text.name.empty(); ++j)
      if (claims[j].text.name == claims[i].text.name)
        throw wrong_input(fmt::format("two claims have the name '{}'", claims[i].text.name), "rename one of the two",
                          claims[i].location);
  }
  for (const auto& [name, one] : definitions.all())
    if (!used.contains(name))
      throw wrong_input(fmt::format("no claim uses the definition of '{}'", name),
                        "remove the definition, or correct its name", one.location);
}

std::string Claim::wanted() const {
  if (at_least && at_most) return fmt::format("{} to {}", *at_least, *at_most);
  return at_least ? fmt::format(">= {}", *at_least) : fmt::format("<= {}", at_most.value_or(0));
}

}  // namespace fovea
