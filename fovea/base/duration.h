// Measures a duration, and formats it for people (room base). Sweeps, benchmarks, progress lines and the report call
// it.
#pragma once

#include <chrono>
#include <string>

namespace fovea {

double seconds_since(std::chrono::steady_clock::time_point start);
std::string duration_text(double seconds);  // "0.4 s", "12 s", "3 min 05 s", "2 h 10 min", "?" if it is not finite

}  // namespace fovea
