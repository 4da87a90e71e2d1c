// Ctrl-C (and TERM) ask the work to end cleanly; a second one ends the program at once.
#pragma once

#include <atomic>

namespace fovea::cli {

// Installs the handlers on first use and returns the flag they set.
const std::atomic<bool>* interrupt_flag();

}  // namespace fovea::cli
