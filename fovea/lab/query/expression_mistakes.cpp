#include "fovea/lab/query/expression_mistakes.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace fovea {

namespace {

// A sign stands before those that it begins with.
constexpr ForeignOperator operators[] = {
    {"===", "write '='"},
    {"!==", "write '!='"},
    {"=>", "write '>='"},
    {"=<", "write '<='"},
    {"<>", "write '!='"},
    {"=!", "write '!='"},
    {"~=", "write '!='"},
    {"≥", "write '>='"},
    {"≤", "write '<='"},
    {"≠", "write '!='"},
    {">>", "write '>'"},
    {"<<", "write '<'"},
    {"&&", "write 'and'"},
    {"&", "write 'and'"},
    {"||", "write 'or'"},
    {"**", "write x * x for the square of x"},
    {"^", "write x * x for the square of x"},
    {"%", "write a share instead, as in 0.9"},
    {"AND", "write 'and'"},
    {"OR", "write 'or'"},
    {"is", "write '='"},
    {"like", "write '='"},
    {"LIKE", "write '='"},
    {"contains", "write '='"},
    {"between", "write, for example, seed >= 1 and seed <= 2"},
    {"in", "write, for example, seed = 1 or seed = 2"},
};

std::string_view digits_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string_view digits_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

}  // namespace

std::string token_at(std::string_view text, std::size_t at) {
  const auto joins = [&](std::size_t i) { return i < text.size() && (is_letter(text[i]) || is_digit(text[i])); };
  std::size_t end = at + 1;
  while (joins(at) && joins(end)) ++end;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return std::string(text.substr(at, end - at));
}

std::optional<ForeignOperator> foreign_operator(std::string_view rest) {
  for (const ForeignOperator& one : operators) {
    if (!rest.starts_with(one.written)) continue;
    const std::string_view after = rest.substr(one.written.size());
    const bool longer_word =
        is_letter(one.written.front()) && !after.empty() && (is_letter(after.front()) || after.front() == '.');
    if (!longer_word) return one;
  }
  return std::nullopt;
}

std::string rest_remedy(std::string_view text, std::size_t at, const ReadComparison& last, bool condition) {
  const std::string otherwise =
      condition ? "join conditions by 'and' or 'or'" : "write an operator in front of it, as in accuracy >= 0.9";
  if (text[at] != ',') return otherwise;
  std::size_t second = at + 1;
  while (second < text.size() && text[second] == ' ') ++second;
  const std::string_view left = digits_before(text, at), right = digits_at(text, second);
  const bool numbers = !left.empty() && !right.empty();
  if (numbers && last.sign == "=" && left != "0")
    return fmt::format("write {0} = {1} or {0} = {2}", last.name, left, right);
  if (numbers && second == at + 1) return fmt::format("write a decimal number with a point: {}.{}", left, right);
  return condition ? otherwise : "write several metrics with spaces between them";
}

std::optional<std::string> range_remedy(std::string_view text, std::size_t at, const ReadComparison& last) {
  if (at == 0 || at >= text.size() || text.substr(at - 1, 2) != "..") return std::nullopt;
  const std::string_view low = digits_before(text, at - 1), high = digits_at(text, at + 1);
  if (low.empty() || high.empty()) return std::nullopt;
  return fmt::format("write {0} >= {1} and {0} <= {2}", last.name, low, high);
}

std::optional<std::string_view> lower_truth(const std::string& name) {
  for (const char* const truth : {"true", "false"})
    if (strcasecmp(name.c_str(), truth) == 0) return truth;
  return std::nullopt;
}

std::optional<int> percent_of_steps_to(std::string_view name) {
  constexpr std::string_view front = "steps_to_";
  if (!name.starts_with(front)) return {};
  name.remove_prefix(front.size());
  if (!std::ranges::all_of(name, is_digit)) return {};
  int percent = 0;
  const auto wrong = std::from_chars(name.data(), name.data() + name.size(), percent).ec;
  return wrong == std::errc() ? percent : 0;
}

}  // namespace fovea
