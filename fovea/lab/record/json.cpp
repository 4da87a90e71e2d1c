#include "fovea/lab/record/json.h"

#include <cmath>

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

}  // namespace

Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json value_json(const Value& value) { return std::visit(ToJson{}, value.data); }

}  // namespace fovea
