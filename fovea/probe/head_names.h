// Suffixes in the names of metrics of single heads (room probe). heads.cpp of this room and probes of probe/systems
// call it.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// layer.1.head.2 -> _l1_h2
inline std::string head_suffix(std::string_view name) {
  std::string suffix = "_" + std::string(name);
  for (const auto& [word, letter] : {std::pair("layer.", "l"), std::pair(".head.", "_h")})
    if (const std::size_t at = suffix.find(word); at != std::string::npos)
      suffix.replace(at, std::string_view(word).size(), letter);
  return suffix;
}

}  // namespace fovea
