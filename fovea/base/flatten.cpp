#include "fovea/base/flatten.h"

namespace fovea {

namespace {

void add(const ValueTable& table, const std::string& prefix, std::vector<std::pair<std::string, const Value*>>& flat) {
  for (const auto& [key, value] : table) {
    if (const auto* inner = value.as<ValueTable>()) add(*inner, prefix + key + '.', flat);
    else flat.emplace_back(prefix + key, &value);
  }
}

}  // namespace

std::vector<std::pair<std::string, const Value*>> flatten(const ValueTable& table, const std::string& prefix) {
  std::vector<std::pair<std::string, const Value*>> flat;
  add(table, prefix, flat);
  return flat;
}

}  // namespace fovea
