// The words of the program for errors and remedies: its commands, its options, and spec files as they are written
// (folder apps/cli). main.cpp, report_file.cpp and sweep_progress.cpp print errors with them.
#pragma once

#include "fovea/base/error/wording.h"

namespace fovea::cli {

const Wording& program_wording();

}  // namespace fovea::cli
