// Encodes bytes as base64 text (room io). SVG figures and the report's page call it. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

std::string base64(std::string_view bytes);

}  // namespace fovea
