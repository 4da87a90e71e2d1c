// Compresses bytes as DEFLATE (RFC 1951) (room io/packed). zip.cpp here and the report's page (view/report/page.cpp)
// call it. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// What stands around them: nothing, as in zip archives, or the head and checksum of zlib (RFC 1950), for browsers.
enum class DeflateFrame { none, zlib };

std::string deflate(std::string_view bytes, int level, DeflateFrame frame);  // level: 1 (quick) to 9 (small)

}  // namespace fovea
