#include "fovea/lab/intervention/owner.h"

#include <algorithm>
#include <map>

namespace fovea {

namespace {

const std::map<std::string, std::vector<std::string>> circuits{
    {"qk", {"query", "key"}}, {"ov", {"value", "output"}}, {"v", {"value"}}, {"o", {"output"}}, {"mlp", {"mlp"}}};

}  // namespace

std::vector<std::string> parts_of_circuit(const std::string& circuit) {
  const std::size_t dot = circuit.find('.');
  const auto found = circuits.find(circuit.substr(0, dot));
  if (dot == std::string::npos || found == circuits.end()) return {};
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

std::vector<std::string> owners_of(const std::vector<std::string>& parameters) {
  std::vector<std::string> owners;
  for (const std::string& name : parameters) {
    const std::string above = name.substr(0, name.rfind('.'));
    if (std::ranges::find(owners, above) == owners.end()) owners.push_back(above);
  }
  for (const auto& circuit : circuits)
    for (int layer = 1;; ++layer) {
      const std::string name = circuit.first + "." + std::to_string(layer);
      if (std::ranges::none_of(parameters, [&](const std::string& one) { return belongs_to(one, name); })) break;
      if (std::ranges::find(owners, name) == owners.end()) owners.push_back(name);
    }
  return owners;
}

}  // namespace fovea
