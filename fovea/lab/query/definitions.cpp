#include "fovea/lab/query/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "fovea/lab/query/expression_node.h"

namespace fovea {

namespace {

constexpr std::size_t most_definitions = 100;
constexpr std::size_t longest_whole = 4000;  // characters, as for any expression

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_of_name(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// The words of an expression outside of quotes: where each begins and ends. Numbers are among them.
std::vector<std::pair<std::size_t, std::size_t>> word_spans(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"' || text[i] == '\'') {
      i = std::min(text.find(text[i], i + 1), text.size() - 1) + 1;
    } else if (is_of_name(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && is_of_name(text[i])) ++i;
      words.emplace_back(begin, i);
    } else {
      ++i;
    }
  }
  return words;
}

// The first character from `at` on that is no blank, and the last one before `at`; 0 if there is none.
char next_sign(const std::string& text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at < text.size() ? text[at] : '\0';
}
char sign_before(const std::string& text, std::size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  return at > 0 ? text[at - 1] : '\0';
}

// A name, a number or one call: no sign beside it can change its meaning.
bool is_one_part(const std::string& text) {
  const auto words = word_spans(text);
  if (words.empty() || words.front().first != 0) return false;
  const std::size_t end = words.front().second;
  if (end == text.size()) return true;
  if (text[end] != '(') return false;
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = end; i < text.size(); ++i) {
    if (quote != '\0') quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '"' || text[i] == '\'') quote = text[i];
    else if (text[i] == '(') ++depth;
    else if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

void check_name(const std::string& name, const Location& location) {
  static const std::set<std::string> words{"and",  "or",   "not",  "true",  "false", "infinity",
                                           "step", "seed", "hold", "stage", "group", "kind"};
  const bool spelt = is_lower(name[0]) && std::ranges::all_of(name, [](char c) {
                       return is_lower(c) || (c >= '0' && c <= '9') || c == '_';
                     });
  if (!spelt)
    throw wrong_input(fmt::format("'{}' cannot be the name of a definition", name),
                      "use small letters, digits and '_', as in 't90'", location);
  if (words.contains(name) || find_function(name) || name.starts_with("steps_to_") ||
      std::ranges::find(run_facts(), name) != run_facts().end())
    throw wrong_input(fmt::format("'{}' has a meaning of its own in expressions", name), "choose another name",
                      location);
}

}  // namespace

Definitions::Definitions(const ValueTable& table) {
  if (table.size() > most_definitions)
    throw wrong_input(fmt::format("there are {} definitions", table.size()),
                      fmt::format("use at most {}", most_definitions), table.begin()->second.location);
  for (const auto& [name, value] : table) {
    if (name.empty()) throw wrong_input("a definition has no name", "name it", value.location);
    check_name(name, value.location);
    const auto* const text = value.as<std::string>();
    if (!text)
      throw wrong_input(message("'{}' must be {}, not {} ({})", name, ValueKind::text, value.kind(), value),
                        "write an expression in quotes", value.location);
    all_[name] = {name, *text, {}, value.location};
  }
  std::vector<std::string> path;  // of definitions, each used by the one before
  const std::function<void(Definition&)> finish = [&](Definition& one) {
    if (!one.whole.empty()) return;
    if (const auto begin = std::ranges::find(path, one.name); begin != path.end())
      throw wrong_input(fmt::format("the definition of '{}' uses itself{}", one.name,
                                    path.size() > 1 ? fmt::format(", by way of '{}'", path.back()) : ""),
                        "write it without its own name", one.location);
    path.push_back(one.name);
    for (const auto& [from, to] : word_spans(one.text))
      if (const auto used = all_.find(one.text.substr(from, to - from)); used != all_.end()) finish(used->second);
    path.pop_back();
    one.whole = expand(one.text);
    Expression::parse(one.whole, one.location);
  };
  for (auto& [name, one] : all_) finish(one);
}

std::string Definitions::expand(const std::string& expression) const {
  std::string out;
  std::size_t copied = 0;
  for (const auto& [begin, end] : word_spans(expression)) {
    const auto found = all_.find(expression.substr(begin, end - begin));
    const char after = next_sign(expression, end);
    if (found == all_.end() || after == '(') continue;
    const char before = sign_before(expression, begin);
    constexpr std::string_view starts("\0(,|", 4), ends("\0),|", 4);
    const bool alone = starts.find(before) != starts.npos && ends.find(after) != ends.npos;
    const Definition& one = found->second;
    out += expression.substr(copied, begin - copied);
    out += alone || is_one_part(one.whole) ? one.whole : '(' + one.whole + ')';
    copied = end;
    if (out.size() > longest_whole)
      throw wrong_input(fmt::format("with its definitions an expression has more than {} characters", longest_whole),
                        "write a shorter expression", one.location);
  }
  return out + expression.substr(copied);
}

std::vector<Definition> Definitions::used_by(const std::string& expression) const {
  std::set<std::string> seen;
  std::vector<Definition> used;
  const std::function<void(const std::string&)> collect = [&](const std::string& text) {
    for (const auto& [begin, end] : word_spans(text)) {
      const auto found = all_.find(text.substr(begin, end - begin));
      if (found == all_.end() || next_sign(text, end) == '(' || !seen.insert(found->first).second) continue;
      used.push_back(found->second);
      collect(found->second.text);
    }
  };
  collect(expression);
  std::ranges::sort(used, {}, [](const Definition& one) { return std::pair(one.location.line, one.location.column); });
  return used;
}

}  // namespace fovea
