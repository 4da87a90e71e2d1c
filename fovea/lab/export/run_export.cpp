#include "fovea/lab/export/run_export.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

// Fit for a folder's name: what could lead elsewhere, or trouble a shell, becomes '_'.
std::string folder_name(const RunRecord& run) {
  std::string name = fmt::format("{}-{}-seed{}", run.id, run.experiment.substr(0, 100), run.spec.seed);
  for (char& c : name) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!good) c = '_';
  }
  return name;
}

}  // namespace

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (std::filesystem::exists(folder) && !std::filesystem::is_directory(folder))
    throw wrong_input("is a file", Remedy::name_folder(), {folder.string()});
  if (error) throw failure("the folder cannot be made: " + error.message(), Remedy::name_folder(), {folder.string()});
}

std::filesystem::path run_folder(const std::filesystem::path& folder, const RunRecord& run) {
  return folder / folder_name(run);
}

}  // namespace fovea
