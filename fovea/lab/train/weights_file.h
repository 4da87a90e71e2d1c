// A run's weights as the bytes of a safetensors file (io/safetensors.h), with the run's experiment, seed and spec and
// the program's version in its metadata.
#pragma once

#include <string>

#include "fovea/lab/record/record.h"

namespace fovea {

std::string weights_file(const RunRecord& run, const std::string& hash);

}  // namespace fovea
