#include "fovea/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fovea {

MappedFile::MappedFile(const std::filesystem::path& path) : location_{path.string()} {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    const int code = errno;
    if (code == ENOENT || code == ENOTDIR) throw wrong_input("there is no such file", "check the path", location_);
    throw failure(fmt::format("cannot be opened: {}", std::strerror(code)),
                  "check its permissions, or name another file", location_);
  }
  struct stat info {};
  const bool known = ::fstat(file, &info) == 0;
  if (!known || !S_ISREG(info.st_mode)) {
    ::close(file);
    throw wrong_input("is no regular file", "name one", location_);
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > 0) {
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const int code = errno;
    ::close(file);
    if (at == MAP_FAILED) throw failure(fmt::format("cannot be read: {}", std::strerror(code)), {}, location_);
    bytes_ = {static_cast<const char*>(at), size};
  } else {
    ::close(file);
  }
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace fovea
