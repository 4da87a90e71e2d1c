// Weights of runs as they were at the end of training: beside the store, in weights/HASH.safetensors
// (io/safetensors.h), by the hash of the run's spec, which says every bit of them. In the file's metadata are the
// run's experiment, seed, spec and the program's version.
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
