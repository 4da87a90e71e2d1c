#include "fovea/base/error.h"

#include <algorithm>
#include <utility>

namespace fovea {

namespace {

constexpr std::size_t longest_word = 160, longest_text = 1200, longest_place = 1000;  // bytes

// The place at or before `at` where a UTF-8 letter begins.
std::size_t letter_at(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

// `limit` bytes of it at most, more from its front than from its end.
void append_cut(std::string& out, std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    out += text;
    return;
  }
  out += text.substr(0, letter_at(text, limit * 3 / 4));
  out += "…";
  out += text.substr(letter_at(text, text.size() - limit / 4));
}

// One short paragraph: place, problem, remedy.
std::string paragraph(const std::string& problem, const std::string& remedy, const Place& place) {
  std::string text;
  append_cut(text, place.text(), longest_place);
  if (place.known()) text += ": ";
  text += problem;
  text += '.';
  if (remedy.empty()) return text;
  text += ' ';
  const std::size_t start = text.size();
  text += remedy;
  if (text[start] >= 'a' && text[start] <= 'z') text[start] = static_cast<char>(text[start] - 'a' + 'A');
  if (text.back() != '?' && text.back() != '.') text += '.';
  return text;
}

}  // namespace

std::string Place::text() const {
  if (!known()) return {};
  if (line == 0) return file;
  std::string text = file + ':' + std::to_string(line);
  if (column > 0) text += ':' + std::to_string(column);
  return text;
}

std::string fit_for_message(std::string_view text) {
  std::string words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    append_cut(words, text.substr(begin, end - begin), longest_word);
    if (end < text.size()) words += ' ';
    begin = end + 1;
  }
  std::string whole;
  append_cut(whole, words, longest_text);
  std::string out;
  for (const char c : whole) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t') out += ' ';
    else if (byte < 0x20 || byte == 0x7f)
      ((out += "\\x") += "0123456789abcdef"[byte >> 4]) += "0123456789abcdef"[byte & 15];
    else out += c;
  }
  return out;
}

Error::Error(Kind kind, std::string what, std::string remedy, Place place)
    : std::runtime_error(paragraph(fit_for_message(what), fit_for_message(remedy), place)),
      kind_(kind),
      problem_(fit_for_message(what)),
      remedy_(fit_for_message(remedy)),
      place_(std::move(place)) {}

Error wrong_input(std::string what, std::string remedy, Place place) {
  return {Error::Kind::wrong_input, std::move(what), std::move(remedy), std::move(place)};
}

Error failure(std::string what, std::string remedy, Place place) {
  return {Error::Kind::failure, std::move(what), std::move(remedy), std::move(place)};
}

}  // namespace fovea
