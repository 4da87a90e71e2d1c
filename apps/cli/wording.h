// Errors and remedies in the words of the program: its commands, its options, and spec files as they are written.
#pragma once

#include "fovea/base/error/wording.h"

namespace fovea::cli {

const Wording& program_wording();

}  // namespace fovea::cli
