// Trims a line and splits it at blanks (room io). Readers of texts, tables and TOML, and tasks with word lists, call
// it. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Without the blanks at its ends.
inline std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos ? std::string_view() : line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

// visit(word) for each word of a line: what stands between blanks.
template <class Visit>
void each_word(std::string_view line, Visit&& visit) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && blank(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t begin = at;
    while (at < line.size() && !blank(line[at])) ++at;
    visit(line.substr(begin, at - begin));
  }
}

inline std::vector<std::string> split_at_whitespace(std::string_view line) {
  std::vector<std::string> words;
  each_word(line, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace fovea
