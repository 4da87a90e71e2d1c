#include "fovea/view/canvas/canvas.h"

#include <algorithm>

namespace fovea {

namespace {

// Width in em of one character of DejaVu Sans, by class: the widest of the fonts that a figure may be drawn in.
double em_width(char32_t c) {
  if (c < 0x80) {
    const std::string_view thin = "iljI.,:;'|!", slim = "frt()[]{}-/\\ \"`", wide = "mwMW%@";
    const char letter = static_cast<char>(c);
    if (thin.find(letter) != std::string_view::npos) return 0.31;
    if (slim.find(letter) != std::string_view::npos) return 0.39;
    if (wide.find(letter) != std::string_view::npos) return 0.91;
    if (letter >= 'A' && letter <= 'Z') return 0.70;
    return 0.62;
  }
  if (c >= 0x300 && c < 0x370) return 0;       // combining marks
  if (c >= 0x2070 && c < 0x20a0) return 0.38;  // raised and lowered digits
  if ((c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xd7a4) || c >= 0x1f000) return 1;  // full width
  return 0.62;
}

}  // namespace

Color Color::rgb(int hex) {
  return {static_cast<std::uint8_t>((hex >> 16) & 0xff), static_cast<std::uint8_t>((hex >> 8) & 0xff),
          static_cast<std::uint8_t>(hex & 0xff)};
}

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : clean_utf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

double text_width(std::string_view words, double size, bool bold) {
  double em = 0;
  for (const char32_t c : code_points(words)) em += em_width(c);
  return em * size * (bold ? 1.07 : 1.0);
}

std::string shorten_text(std::string_view words, double width, double size, bool bold) {
  if (text_width(words, size, bold) <= width) return std::string(words);
  std::string kept;
  const double room = width - text_width("…", size, bold);
  for (const char32_t c : code_points(words)) {
    std::string longer = kept;
    append_utf8(longer, c);
    if (text_width(longer, size, bold) > room) break;
    kept = std::move(longer);
  }
  return kept + "…";
}

std::vector<std::string> wrap_text(std::string_view words, double width, double size, bool bold) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t end = std::min(words.find_first_of(" \n", i), words.size());
    const std::string word = shorten_text(words.substr(i, end - i), width, size, bold);
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && text_width(longer, size, bold) > width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    i = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace fovea
