#include "fovea/lab/export/run_export.h"

#include <fmt/format.h>

#include <string>

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

std::filesystem::path run_folder(const std::filesystem::path& folder, const RunRecord& run) {
  return folder / folder_name(run);
}

}  // namespace fovea
