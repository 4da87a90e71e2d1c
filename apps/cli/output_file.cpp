#include "apps/cli/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "fovea/base/error/error.h"

namespace fovea::cli {

void check_output_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw wrong_input("is a folder", "name a file", {file});
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!std::filesystem::is_directory(folder, ignored))
    throw wrong_input(fmt::format("there is no folder '{}'", folder), "make it, or name another file", {file});
  const bool exists = std::filesystem::exists(file, ignored);
  if (::access(exists ? file.c_str() : folder.c_str(), W_OK) != 0)
    throw failure("you may not write this file", "change the permissions of its folder, or name another file", {file});
}

}  // namespace fovea::cli
