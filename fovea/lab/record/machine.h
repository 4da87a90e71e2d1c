// One line on the machine a run was made on: "AMD EPYC 9B14, 2 cores, AVX3".
#pragma once

#include <string>

namespace fovea {

std::string machine_line();
int core_count();       // processors this process may run on; at least 1
std::string utc_now();  // ISO 8601, "2024-05-06T07:08:09Z"

}  // namespace fovea
