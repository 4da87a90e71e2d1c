// Bytes packed as DEFLATE (RFC 1951) without a head: as zip archives hold them, and browsers unpack as "deflate-raw".
#pragma once

#include <string>
#include <string_view>

namespace fovea {

std::string deflate(std::string_view bytes, int level);  // 1 (quick) to 9 (small)

}  // namespace fovea
