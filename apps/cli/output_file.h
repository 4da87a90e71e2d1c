// Checks the file that a command will write, before anything is computed for it (folder apps/cli). Commands with -o call
// it. Reads the file system only.
#pragma once

#include <string>

namespace fovea::cli {

// Throws wrong_input if the folder is missing or the name is a folder's, and failure if nothing may be written there.
void check_output_file(const std::string& file);

}  // namespace fovea::cli
