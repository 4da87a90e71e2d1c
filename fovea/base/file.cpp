#include "fovea/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "fovea/base/error/error.h"

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

 private:
  int fd_;
};

std::string reason(int code) { return code == ENOSPC || code == EDQUOT ? "the disk is full" : std::strerror(code); }

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Location location{path.string()};
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    const int code = errno;
    if (code == ENOENT) throw wrong_input("there is no such file", "check the path", location);
    throw failure("cannot be opened: " + reason(code), "check its permissions, or name another file", location);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw failure("cannot be examined: " + reason(errno), {}, location);
  if (S_ISDIR(info.st_mode)) throw wrong_input("is a folder, not a file", "name a file in it", location);
  std::string bytes;
  const auto check_size = [&](std::size_t size) {
    if (size > limit)
      throw wrong_input(fmt::format("is larger than the {} bytes that are read", limit),
                        "check that it is the right file", location);
  };
  check_size(static_cast<std::size_t>(info.st_size));
  bytes.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw failure("cannot be read: " + reason(errno), {}, location);
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    check_size(bytes.size());  // pipes and devices do not say their size beforehand
  }
}

void write_whole(const std::filesystem::path& path, std::string_view bytes) {
  WholeFile file(path);
  file.write(bytes);
  file.commit();
}

WholeFile::WholeFile(const std::filesystem::path& path, bool durable) : path_(path), named_(path), durable_(durable) {
  std::error_code unresolved;  // a link stays, and what it leads to is written
  const std::filesystem::path real = std::filesystem::canonical(path, unresolved);
  if (!unresolved) path_ = real;
  if (!unresolved && !std::filesystem::is_regular_file(path_)) {  // a device or a pipe; a folder refuses
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) throw failure("cannot be written: " + reason(errno), {}, {named_.string()});
    return;
  }
  temporary_ = path_.string() + ".XXXXXX";
  file_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (file_ < 0)
    throw failure("cannot be written: " + reason(errno), "check that the folder exists and that you may write there",
                  {named_.string()});
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void WholeFile::give_up(int code) {
  const bool beside = !temporary_.empty();
  if (beside) ::unlink(temporary_.c_str());
  const std::string old = "an older file of this name is unchanged";
  throw failure("cannot be written: " + reason(code),
                !beside          ? ""
                : code == ENOSPC ? "free some space; " + old
                                 : old,
                {named_.string()});
}

void WholeFile::write(std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t put = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) give_up(errno);
    done += static_cast<std::size_t>(put);
  }
}

void WholeFile::commit() {
  if (temporary_.empty()) {
    if (::close(std::exchange(file_, -1)) != 0) give_up(errno);
    return;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file_, 0666 & ~mask) != 0 || (durable_ && ::fsync(file_) != 0)) give_up(errno);
  if (::close(std::exchange(file_, -1)) != 0) give_up(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) give_up(errno);
  if (!durable_) return;
  const std::filesystem::path parent = path_.parent_path();
  const Descriptor folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0)
    ::fsync(folder.get());  // the rename itself survives a power cut; some file systems refuse, harmlessly
}

void make_folder(const std::filesystem::path& folder, const Remedy& otherwise) {
  std::error_code error, ignored;
  std::filesystem::create_directories(folder, error);
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored))
    throw wrong_input("is a file", otherwise, {folder.string()});
  if (error) throw failure("the folder cannot be made: " + error.message(), otherwise, {folder.string()});
}

std::filesystem::path home_folder() {
  if (const char* home = std::getenv("FOVEA_HOME"); home && *home) return home;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/')
    return std::filesystem::path(data) / "fovea";
  if (const char* user = std::getenv("HOME"); user && *user) return std::filesystem::path(user) / ".local/share/fovea";
  throw failure("there is no folder for the runs: neither FOVEA_HOME nor HOME is set",
                "set FOVEA_HOME to a folder of yours");
}

}  // namespace fovea
