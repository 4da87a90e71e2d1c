// MappedFile: the bytes of a file, mapped into memory (room io). The intervention `embeddings` reads word vectors
// through it. Pages that are not read are not loaded. The file must not become shorter while it is mapped: the kernel
// then ends the program.
#pragma once

#include <filesystem>
#include <string_view>

#include "fovea/base/error/error.h"

namespace fovea {

class MappedFile {
 public:
  // Throws wrong_input where there is no such file or it is a folder, failure where it cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }
  const Location& location() const { return location_; }

 private:
  Location location_;
  std::string_view bytes_;
};

}  // namespace fovea
