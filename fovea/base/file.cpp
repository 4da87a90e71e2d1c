#include "fovea/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "fovea/base/error.h"

namespace fovea {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

std::string reason(int code) { return std::strerror(code); }

void write_all(const Descriptor& file, std::string_view bytes, const std::function<void(int)>& give_up) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t put = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) give_up(errno);
    else done += static_cast<std::size_t>(put);
  }
}

// Into what is there and no regular file: a device, a pipe. A folder refuses.
void write_through(const std::filesystem::path& path, std::string_view bytes, const Place& place) {
  const auto give_up = [&place](int code) { throw failure("can not be written: " + reason(code), {}, place); };
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) give_up(errno);
  write_all(file, bytes, give_up);
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Place place{path.string()};
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    const int code = errno;
    if (code == ENOENT) throw wrong_input("there is no such file", "check the path", place);
    throw failure("can not be opened: " + reason(code), {}, place);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw failure("can not be examined: " + reason(errno), {}, place);
  if (S_ISDIR(info.st_mode)) throw wrong_input("is a folder, not a file", "name a file in it", place);
  std::string bytes;
  const auto check_size = [&](std::size_t size) {
    if (size > limit)
      throw wrong_input(fmt::format("is larger than the {} bytes that are read", limit), "is it the right file?",
                        place);
  };
  check_size(static_cast<std::size_t>(info.st_size));
  bytes.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw failure("can not be read: " + reason(errno), {}, place);
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    check_size(bytes.size());  // pipes and devices do not say their size beforehand
  }
}

void write_whole(const std::filesystem::path& named, std::string_view bytes) {
  const Place place{named.string()};
  std::error_code unresolved;  // a link stays, and what it leads to is written
  const std::filesystem::path real = std::filesystem::canonical(named, unresolved);
  const std::filesystem::path& path = unresolved ? named : real;
  if (!unresolved && !std::filesystem::is_regular_file(path)) {
    write_through(path, bytes, place);
    return;
  }
  std::string temporary = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0)
    throw failure("can not be written: " + reason(errno), "check that the folder exists and that you may write there",
                  place);
  const auto give_up = [&](int code) {
    ::unlink(temporary.c_str());
    throw failure("can not be written: " + reason(code),
                  code == ENOSPC ? "free some space; an older file of this name is as it was"
                                 : "an older file of this name is as it was",
                  place);
  };
  write_all(file, bytes, give_up);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0 || ::fsync(file.get()) != 0 || file.close() != 0) give_up(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up(errno);
  const std::filesystem::path parent = path.parent_path();
  Descriptor folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0)
    ::fsync(folder.get());  // the rename itself survives a power cut; some file systems refuse, harmlessly
}

std::filesystem::path home_folder() {
  if (const char* home = std::getenv("FOVEA_HOME"); home && *home) return home;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/')
    return std::filesystem::path(data) / "fovea";
  if (const char* user = std::getenv("HOME"); user && *user) return std::filesystem::path(user) / ".local/share/fovea";
  throw failure("there is no place for the runs: neither FOVEA_HOME nor HOME is set",
                "set FOVEA_HOME to a folder of yours");
}

}  // namespace fovea
