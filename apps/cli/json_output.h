// One JSON document on stdout, nothing else there. Numbers that JSON can not say (infinity, NaN) are null.
#pragma once

#include <nlohmann/json.hpp>

#include "fovea/lab/record.h"

namespace fovea::cli {

using Json = nlohmann::ordered_json;

Json number_json(double x);
Json value_json(const Value& value);  // settings
Json run_json(const RunRecord& run, bool with_series);
Json claim_json(const ClaimResult& claim);
void print_json(const Json& json);

}  // namespace fovea::cli
