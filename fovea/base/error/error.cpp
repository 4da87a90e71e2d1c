#include "fovea/base/error/error.h"

#include <algorithm>
#include <utility>

#include "fovea/base/error/wording.h"

namespace fovea {

namespace {

constexpr std::size_t longest_word = 160, longest_text = 1200;  // bytes

// The position at or before `at` where a UTF-8 letter begins.
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

}  // namespace

std::string cut_in_middle(std::string_view text, std::size_t limit) {
  std::string out;
  append_cut(out, text, limit);
  return out;
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

Error::Error(Kind kind, Message what, Remedy remedy, Location location)
    : std::runtime_error(""),
      kind_(kind),
      problem_(std::move(what)),
      remedy_(std::move(remedy)),
      location_(std::move(location)) {
  static_cast<std::runtime_error&>(*this) = std::runtime_error(plain_wording().paragraph(*this));
}

Error wrong_input(Message what, Remedy remedy, Location location) {
  return {Error::Kind::wrong_input, std::move(what), std::move(remedy), std::move(location)};
}

Error failure(Message what, Remedy remedy, Location location) {
  return {Error::Kind::failure, std::move(what), std::move(remedy), std::move(location)};
}

}  // namespace fovea
