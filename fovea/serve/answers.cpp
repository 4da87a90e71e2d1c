#include "fovea/serve/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "fovea/base/error/error.h"
#include "fovea/base/error/names.h"

namespace fovea {

HttpAnswer json_answer(const Json& json) { return {.body = json_text(json)}; }

std::int64_t read_number(const std::string& text, const std::string& what, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    throw wrong_input(fmt::format("{} is '{}'", what, text), fmt::format("it is a number from {} to {}", least, most));
  return number;
}

void refuse_unknown(const HttpRequest& request, const std::vector<std::string>& known) {
  for (const auto& [name, value] : request.query)
    if (std::ranges::find(known, name) == known.end())
      throw wrong_input(fmt::format("{} takes no '{}'", request.path, name), suggest_name(name, known));
}

}  // namespace fovea
