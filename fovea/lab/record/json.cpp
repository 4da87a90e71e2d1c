#include "fovea/lab/record/json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

struct ToJson {
  Json operator()(bool x) const { return x; }
  Json operator()(std::int64_t x) const { return x; }
  Json operator()(double x) const { return number_json(x); }
  Json operator()(const std::string& x) const { return x; }
  Json operator()(const ValueList& list) const {
    Json json = Json::array();
    for (const Value& item : list) json.push_back(value_json(item));
    return json;
  }
  Json operator()(const ValueTable& table) const {
    Json json = Json::object();
    for (const auto& [key, value] : table) json[key] = value_json(value);
    return json;
  }
};

bool fits_integer(const Json& json) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  return json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= most);
}

Value value_from(const Json& json, const Location& location) {
  if (json.is_boolean()) return {json.get<bool>(), location};
  if (json.is_string()) return {json.get<std::string>(), location};
  if (fits_integer(json)) return {json.get<std::int64_t>(), location};
  if (json.is_number()) return {json.get<double>(), location};
  if (json.is_object()) return {table_from_json(json, location), location};
  if (!json.is_array()) throw wrong_input("null is not a value of a setting", "remove the setting", location);
  ValueList list;
  for (const Json& item : json) list.push_back(value_from(item, location));
  return {std::move(list), location};
}

}  // namespace

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json value_json(const Value& value) { return std::visit(ToJson{}, value.data); }

ValueTable table_from_json(const Json& json, const Location& location) {
  ValueTable table;
  for (const auto& [key, value] : json.items()) table.emplace(key, value_from(value, location));
  return table;
}

}  // namespace fovea
