#include "fovea/lab/experiment/read_values.h"

#include <fmt/format.h>

#include <vector>

#include "fovea/base/error/names.h"

namespace fovea {

void read_keys(const ValueTable& table, const std::string& owner, const Keys& keys) {
  read_keys(table, owner, {}, keys);
}

void read_keys(const ValueTable& table, const std::string& owner, const Remedy& otherwise, const Keys& keys) {
  for (const auto& [key, value] : table) {
    const auto found = keys.find(key);
    if (found == keys.end()) {
      std::vector<std::string> names;
      for (const auto& entry : keys) names.push_back(entry.first);
      throw wrong_input(fmt::format("{} has no key '{}'", owner, key),
                        otherwise.empty() ? suggest_name(key, names) : suggest_name(key, names, otherwise),
                        value.location);
    }
    found->second(value);
  }
}

std::string take_text(const Value& value, const std::string& key) {
  return take<std::string>(value, key, ValueKind::text);
}

double take_number(const Value& value, const std::string& key) {
  if (const auto* whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  return take<double>(value, key, ValueKind::number);
}

}  // namespace fovea
