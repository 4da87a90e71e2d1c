#include "fovea/lab/intervention/groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error/error.h"

namespace fovea {

const Fields::Choices<Group> group_words{{"attention", Group::attention}, {"body", Group::body}};

std::optional<Group> group_of(const std::string& word) {
  const auto found = std::ranges::find(group_words, word, &std::pair<std::string_view, Group>::first);
  return found == group_words.end() ? std::nullopt : std::optional(found->second);
}

void check_group(Group group, const Capabilities& capabilities, const Location& location) {
  if (group != Group::attention) return;
  if (!capabilities.attention_parameters)
    throw wrong_input(fmt::format("model '{}' has no attention parameters here", capabilities.model),
                      "remove the intervention", location);
  if (capabilities.attends && !capabilities.by_score)
    throw wrong_input(
        fmt::format("attention parameters have no effect here, because model '{}' always has uniform attention",
                    capabilities.model),
        "remove the intervention, or use learned attention", location);
}

}  // namespace fovea
