#include "fovea/data/words/word_features.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fovea {

namespace {

constexpr std::size_t affix = 3;  // characters

std::vector<std::int32_t> characters_of(std::string_view word) {
  std::vector<std::int32_t> characters;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(word.data());
  for (auto left = static_cast<utf8proc_ssize_t>(word.size()); left > 0;) {
    std::int32_t c = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(bytes, left, &c);
    if (length <= 0) break;
    characters.push_back(c);
    bytes += length;
    left -= length;
  }
  return characters;
}

void add_character(std::string& text, std::int32_t c) {
  utf8proc_uint8_t bytes[4];
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(utf8proc_encode_char(c, bytes)));
}

std::int32_t shape_of(std::int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return 'X';
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return 'x';
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return '0';
    default:
      return c;
  }
}

}  // namespace

std::string lower_case(std::string_view word) {
  std::string lower;
  for (const std::int32_t c : characters_of(word)) add_character(lower, utf8proc_tolower(c));
  return lower;
}

std::array<std::string, word_features> features_of(std::string_view word) {
  const std::vector<std::int32_t> characters = characters_of(word);
  std::array<std::string, word_features> features{"shape ", "begins ", "ends "};
  std::int32_t last = -1;
  for (const std::int32_t c : characters)
    if (const std::int32_t shape = shape_of(c); shape != last) add_character(features[0], last = shape);
  const std::size_t count = std::min(affix, characters.size());
  for (std::size_t i = 0; i < count; ++i) {
    add_character(features[1], utf8proc_tolower(characters[i]));
    add_character(features[2], utf8proc_tolower(characters[characters.size() - count + i]));
  }
  return features;
}

}  // namespace fovea
