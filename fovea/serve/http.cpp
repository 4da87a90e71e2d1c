#include "fovea/serve/http.h"

#include <algorithm>
#include <optional>

#include "fovea/base/error/error.h"
#include "fovea/lab/record/json.h"

namespace fovea {

namespace {

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::string decoded(std::string_view text, bool plus_is_space) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
      const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
      if (!low) throw wrong_input("the address has a % without two digits", "write %25 for a percent sign");
      c = static_cast<char>(*high * 16 + *low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      throw wrong_input("the address has a control character");
    plain += c;
  }
  return plain;
}

void check_path(const std::string& path) {
  if (path.find_first_of("\\\n\t") != std::string::npos)
    throw wrong_input("the address has a character that is not allowed");
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = std::string_view(path).substr(begin, end - begin);
    if (name == "." || name == "..") throw wrong_input("the address has '..', and there are no folders");
    begin = end + 1;
  }
}

}  // namespace

std::string HttpRequest::asked(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

HttpAnswer error_answer(int status, std::string_view problem, std::string_view remedy) {
  Json error{{"problem", problem}};
  if (!remedy.empty()) error["remedy"] = remedy;
  return {.status = status, .body = json_text(Json{{"error", error}})};
}

void read_target(std::string_view target, HttpRequest& request) {
  if (!target.starts_with('/')) throw wrong_input("the address of a request begins with '/'");
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  request.path = decoded(target.substr(0, mark), false);
  check_path(request.path);
  request.query.clear();
  if (mark == std::string_view::npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string name = decoded(pair.substr(0, equals), true);
    request.query[name] = equals == std::string_view::npos ? std::string() : decoded(pair.substr(equals + 1), true);
  }
}

}  // namespace fovea
