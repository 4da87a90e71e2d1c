// WeightFiles: the weights of runs at the end of training, in weights/HASH.safetensors beside the store (room
// lab/train). The store writes and removes them, and transplants read them. The name is the hash of the run's spec,
// which determines every bit. The file's metadata has the run's experiment, seed, spec and the program's version.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fovea/io/safetensors.h"
#include "fovea/lab/record/record.h"

namespace fovea {

class WeightFiles {
 public:
  explicit WeightFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file_of(const std::string& hash) const;
  bool has(const std::string& hash) const;

  void write(const RunRecord& run, const std::string& hash) const;  // whole or not at all; throws failure
  std::optional<TensorFile> read(const std::string& hash) const;    // nothing where none were kept

 private:
  std::filesystem::path folder_;
};

}  // namespace fovea
