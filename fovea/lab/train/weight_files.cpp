#include "fovea/lab/train/weight_files.h"

#include <system_error>
#include <utility>

#include "fovea/base/file.h"
#include "fovea/lab/train/weights_file.h"

namespace fovea {

std::filesystem::path WeightFiles::file_of(const std::string& hash) const { return folder_ / (hash + ".safetensors"); }

bool WeightFiles::has(const std::string& hash) const {
  std::error_code ignored;
  return std::filesystem::exists(file_of(hash), ignored);
}

void WeightFiles::write(const RunRecord& run, const std::string& hash) const {
  std::error_code error;  // a folder that cannot be made shows when the file is written
  std::filesystem::create_directories(folder_, error);
  WholeFile file(file_of(hash), false);  // like the store's newest runs, they may be lost in a power cut
  file.write(weights_file(run, hash));
  file.commit();
}

std::optional<TensorFile> WeightFiles::read(const std::string& hash) const {
  if (!has(hash)) return std::nullopt;
  return TensorFile::read(file_of(hash));
}

}  // namespace fovea
