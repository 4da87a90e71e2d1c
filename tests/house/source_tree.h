// Where the sources lie that these tests read.
#pragma once

#include <filesystem>

inline const std::filesystem::path root = FOVEA_SOURCE_DIR;
