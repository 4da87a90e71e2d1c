// One line on the machine of a run ("AMD EPYC 9B14, 2 cores, AVX3"), and the current time (room lab/record). The
// trainer, sweeps, the server and the report store or print it. Reads the system; changes nothing.
#pragma once

#include <string>

namespace fovea {

std::string machine_line();
// What multiplies in three terms of bfloat16 (math/tile_unit.h): "AMX", or "software (no AMX)".
std::string tile_unit_line();
int core_count();       // processors this process may run on; at least 1
std::string utc_now();  // ISO 8601, "2024-05-06T07:08:09Z"

}  // namespace fovea
