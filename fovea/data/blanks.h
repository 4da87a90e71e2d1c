// Words as what stands between blanks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

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

inline std::vector<std::string> words_between_blanks(std::string_view line) {
  std::vector<std::string> words;
  each_word(line, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace fovea
