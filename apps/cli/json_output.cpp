#include "apps/cli/json_output.h"

#include <fmt/format.h>

namespace fovea::cli {

void print_json(const Json& json) { fmt::print("{}\n", json_text(json, 2)); }

}  // namespace fovea::cli
