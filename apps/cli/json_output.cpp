#include "apps/cli/json_output.h"

#include <fmt/format.h>

namespace fovea::cli {

void print_json(const Json& json) {
  // Texts may hold bytes that are no UTF-8 (file names); they are replaced, so that the document stays readable.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace fovea::cli
