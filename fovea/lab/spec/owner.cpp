#include "fovea/lab/spec/owner.h"

#include <algorithm>
#include <map>

namespace fovea {

std::vector<std::string> parts_of_circuit(const std::string& circuit) {
  static const std::map<std::string, std::vector<std::string>> parts{
      {"qk", {"query", "key"}}, {"ov", {"value", "output"}}, {"v", {"value"}}, {"o", {"output"}}, {"mlp", {"mlp"}}};
  const std::size_t dot = circuit.find('.');
  const auto found = parts.find(circuit.substr(0, dot));
  if (dot == std::string::npos || found == parts.end()) return {};
  std::vector<std::string> owners;
  for (const std::string& part : found->second) owners.push_back("layer" + circuit.substr(dot) + "." + part);
  return owners;
}

std::optional<std::string> name_under(const std::string& name, const std::string& owner) {
  if (!name.starts_with(owner)) return std::nullopt;
  const std::string rest = name.substr(owner.size());
  if (!rest.empty() && rest.front() != '.') return std::nullopt;
  return rest;
}

bool belongs_to(const std::string& parameter, const std::string& owner) {
  const auto owns = [&](const std::string& name) { return name_under(parameter, name).has_value(); };
  return owns(owner) || std::ranges::any_of(parts_of_circuit(owner), owns);
}

}  // namespace fovea
