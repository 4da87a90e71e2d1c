#include "fovea/io/utf8.h"

#include <fmt/format.h>

namespace fovea {

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&](char32_t x) { out += static_cast<char>(static_cast<unsigned char>(x)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | (c >> 6));
    byte(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    byte(0xe0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3f));
    byte(0x80 | (c & 0x3f));
  } else {
    byte(0xf0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3f));
    byte(0x80 | ((c >> 6) & 0x3f));
    byte(0x80 | (c & 0x3f));
  }
}

std::size_t read_utf8(std::string_view text, char32_t& point) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  point = lead;
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  point = lead & (0x7fU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    point = (point << 6) | (byte(k) & 0x3fU);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  return overlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0 : length;
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  while (!text.empty()) {
    char32_t point = 0;
    const std::size_t length = read_utf8(text, point);
    points.push_back(length > 0 ? point : 0xfffd);
    text.remove_prefix(length > 0 ? length : 1);
  }
  return points;
}

std::string clean_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (const char32_t c : code_points(text)) {
    if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff) continue;
    append_utf8(clean, c);
  }
  return clean;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : code_points(text)) {
    const bool turns = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    if (c == '\n' || c == '\t') out += ' ';
    else if (c < 0x20 || (c >= 0x7f && c < 0xa0) || turns) out += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(c));
    else append_utf8(out, c);
  }
  return out;
}

}  // namespace fovea
