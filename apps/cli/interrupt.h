// Ctrl-C (and TERM) ask the work to end cleanly; a second one ends the program at once (folder apps/cli). Commands
// that train or download read the flag. It installs signal handlers.
#pragma once

#include <atomic>

namespace fovea::cli {

// Installs the handlers on first use and returns the flag they set.
const std::atomic<bool>* interrupt_flag();

}  // namespace fovea::cli
