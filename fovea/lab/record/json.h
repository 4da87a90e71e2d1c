// Values as JSON. Numbers that JSON cannot say (infinity, NaN) are null.
#pragma once

#include <nlohmann/json.hpp>

#include "fovea/base/error/value.h"

namespace fovea {

using Json = nlohmann::ordered_json;  // keys stay as they were written

Json number_json(double x);
Json value_json(const Value& value);

}  // namespace fovea
