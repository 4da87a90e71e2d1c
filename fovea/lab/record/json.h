// Converts Values to JSON and back (room lab/record). All JSON of the library, the server and the program uses it.
// Infinity and NaN become null, which does not become a value again.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fovea/base/error/value.h"

namespace fovea {

using Json = nlohmann::ordered_json;  // keys stay as they were written

// The value in this text. It is discarded (Json::is_discarded) if the text is not JSON.
Json parse_json(std::string_view text);
// The value on one line, or indented by so many spaces. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& json, int indent = -1);

Json number_json(double x);
Json value_json(const Value& value);
// Every value gets this location. Throws wrong_input for a null.
ValueTable table_from_json(const Json& json, const Location& location);

}  // namespace fovea
