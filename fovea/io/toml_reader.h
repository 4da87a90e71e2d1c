// Parses TOML text into Values with their locations (room io). Experiments, corpora, records, the store and the front
// ends call it. Pure functions.
#pragma once

#include <string>

#include "fovea/base/error/error.h"
#include "fovea/base/error/value.h"

namespace fovea {

// Throws wrong_input with file:line:column for text that is not TOML. Values of a table carry the location of their
// key, entries of a list their own.
ValueTable parse_table(const std::string& toml, const std::string& file_name,
                       Location::Kind kind = Location::Kind::file);

// One value as a person types it beside a spec: TOML, or plain text where that fails.
Value parse_value(const std::string& words, const Location& location);

}  // namespace fovea
