// The bytes of a file, mapped into memory: what is not looked at is not read. While somebody looks at them, the file
// must not become shorter: the kernel ends the program then.
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
