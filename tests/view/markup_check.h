// Says what is wrong with a piece of XML (or of HTML written as carefully), or "".
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace fovea::sample {

inline std::string markup_fault(const std::string& text) {
  static const std::set<std::string> empty = {"meta", "br", "!DOCTYPE"};
  static const std::set<std::string> entities = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  const auto at = [&](std::size_t i) { return " at " + std::to_string(i) + ": " + text.substr(i, 40); };
  std::vector<std::string> open;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '&') {
      const std::size_t end = text.find(';', i);
      if (end == std::string::npos || !entities.count(text.substr(i, end - i + 1))) return "a bare ampersand" + at(i);
      i = end + 1;
      continue;
    }
    if (text[i] == '>') return "a bare >" + at(i);
    if (text[i] != '<') {
      ++i;
      continue;
    }
    const std::size_t start = i++;
    const bool closing = text[i] == '/';
    if (closing) ++i;
    const std::size_t name_end = text.find_first_of(" \n/>", i);
    if (name_end == std::string::npos || name_end == i) return "a bare <" + at(start);
    const std::string name = text.substr(i, name_end - i);
    for (const char c : name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '!') return "a bare <" + at(start);
    i = name_end;
    bool alone = empty.count(name) > 0;
    while (i < text.size() && text[i] != '>') {
      if (text[i] == ' ' || text[i] == '\n') {
        ++i;
      } else if (text[i] == '/') {
        alone = true;
        ++i;
      } else {
        const std::size_t stop = text.find_first_of("= >", i);
        if (stop == std::string::npos) return "an open tag" + at(start);
        const std::string key = text.substr(i, stop - i);
        i = stop;
        if (text[i] != '=') {
          if (name != "!DOCTYPE") return "an attribute without a value" + at(i);
          continue;
        }
        if (text[i + 1] != '"') return "an unquoted attribute" + at(i);
        const std::size_t end = text.find('"', i + 2);
        if (end == std::string::npos) return "an open quote" + at(i);
        const std::string value = text.substr(i + 2, end - i - 2);
        if (value.find('<') != std::string::npos) return "a < in an attribute" + at(i);
        if (key == "id" && !ids.insert(value).second) return "the id " + value + " twice";
        i = end + 1;
      }
    }
    if (i >= text.size()) return "an open tag" + at(start);
    ++i;
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes another" + at(start);
      open.pop_back();
    } else if (!alone) {
      open.push_back(name);
      if (name == "style") i = text.find("</style", i);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

}  // namespace fovea::sample
