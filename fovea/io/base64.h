// Bytes as letters, where only text may stand.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

std::string base64(std::string_view bytes);

}  // namespace fovea
