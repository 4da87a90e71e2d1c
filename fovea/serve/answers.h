// Reads questions and writes answers of the API (room serve). api.cpp, group_answers.cpp and run_answers.cpp of this
// room call it. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/lab/record/json.h"
#include "fovea/serve/http.h"

namespace fovea {

HttpAnswer json_answer(const Json& json);

// Throw wrong_input: for what is no number from `least` to `most`; for a query with another name than these.
std::int64_t read_number(const std::string& text, const std::string& what, std::int64_t least, std::int64_t most);
void refuse_unknown(const HttpRequest& request, const std::vector<std::string>& known);

}  // namespace fovea
