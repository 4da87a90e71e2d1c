// Files read with a limit, and written whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

// The whole file. Throws wrong_input if it is missing, is a folder, or is larger than `limit`;
// failure if it can not be read.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

// A link is followed, and what is no regular file (a device, a pipe) is written straight to. Otherwise: writes beside
// the target, flushes to the disk, then renames over it: a reader sees the old file or the new one. Throws failure
// (disk full, no permission) and leaves the old file as it was.
void write_whole(const std::filesystem::path& path, std::string_view bytes);

// Where this user's runs, corpora and checkpoints live: $FOVEA_HOME, else $XDG_DATA_HOME/fovea, else
// ~/.local/share/fovea.
std::filesystem::path home_folder();

}  // namespace fovea
