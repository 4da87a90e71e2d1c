// Converts Values to JSON and back (room lab/record). All JSON of the library, the server and the program uses it.
// Infinity and NaN become null, which does not become a value again.
#pragma once

#include <nlohmann/json.hpp>

#include "fovea/base/error/value.h"

namespace fovea {

using Json = nlohmann::ordered_json;  // keys stay as they were written

Json number_json(double x);
Json value_json(const Value& value);
// Every value gets this location. Throws wrong_input for a null.
ValueTable table_from_json(const Json& json, const Location& location);

}  // namespace fovea
