// Makes the bytes of a safetensors file (io/safetensors.h) of a run's weights (room lab/train). weight_files.cpp of
// this room and the page's engine call it. The metadata has the run's experiment, seed and spec and the program's
// version.
#pragma once

#include <string>

#include "fovea/lab/record/record.h"

namespace fovea {

std::string weights_file(const RunRecord& run, const std::string& hash);

}  // namespace fovea
