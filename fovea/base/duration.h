// Formats a duration for people (room base). Progress lines, terminal tables and the report call it. Pure function.
#pragma once

#include <string>

namespace fovea {

std::string duration_text(double seconds);  // "0.4 s", "12 s", "3 min 05 s", "2 h 10 min", "?" if it is not finite

}  // namespace fovea
