#include "fovea/base/error/setting_names.h"

#include <vector>

#include "fovea/base/error/names.h"

namespace fovea {

std::string nearest_setting(std::string_view word, std::span<const std::string> candidates) {
  const std::size_t dot = word.rfind('.');
  if (dot == word.npos) return nearest_name(word, candidates);
  const std::string section(word.substr(0, dot + 1));
  std::vector<std::string> own, dotted;
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(section)) own.push_back(candidate.substr(section.size()));
    if (candidate.find('.') != candidate.npos) dotted.push_back(candidate);
  }
  if (own.empty()) return nearest_name(word, dotted);
  const std::string near = nearest_name(word.substr(dot + 1), own);
  return near.empty() ? near : section + near;
}

}  // namespace fovea
