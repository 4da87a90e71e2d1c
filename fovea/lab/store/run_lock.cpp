#include "fovea/lab/store/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

// Locks of an open file, not of a process: two RunLocks of one process exclude each other too.
struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Each run in training has a file open; many workers need more than the usual 1024.
bool raise_the_limit_of_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

bool same_file(int descriptor, const std::filesystem::path& path, struct stat& opened) {
  struct stat there {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &there) == 0 && opened.st_ino == there.st_ino &&
         opened.st_dev == there.st_dev;
}

std::string own_name() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("process {} on {}", ::getpid(), host);
}

[[noreturn]] void refuse(const std::filesystem::path& file, int code) {
  if (code == ENOSPC || code == EDQUOT)
    throw failure("the disk is full, so no run can start",
                  "free some space, then try again. All earlier runs are unchanged", {file.string()});
  throw failure(fmt::format("a run cannot be marked as being trained: {}", std::strerror(code)),
                "check that you may write to this folder, or set FOVEA_HOME to a folder of yours", {file.string()});
}

}  // namespace

std::optional<RunLock> RunLock::take(const std::filesystem::path& folder, const std::string& hash) {
  std::error_code ignored;  // what is wrong shows when the file is made
  std::filesystem::create_directories(folder, ignored);
  const std::filesystem::path file = folder / hash;
  for (;;) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      if (errno == EMFILE && raise_the_limit_of_open_files()) continue;
      refuse(file, errno);
    }
    RunLock lock(file, descriptor);
    struct flock wanted = whole_file(F_WRLCK);
    if (::fcntl(descriptor, F_OFD_SETLK, &wanted) != 0) {
      const int code = errno;
      ::close(std::exchange(lock.descriptor_, -1));
      if (code == EAGAIN || code == EACCES) return std::nullopt;
      refuse(file, code);
    }
    struct stat opened {};
    if (!same_file(descriptor, file, opened)) {  // who had it removed the file between our opening and our locking it
      ::close(std::exchange(lock.descriptor_, -1));
      continue;
    }
    lock.after_a_kill_ = opened.st_size > 0;
    const std::string name = own_name();
    if (::ftruncate(descriptor, 0) != 0 ||
        ::pwrite(descriptor, name.data(), name.size(), 0) != static_cast<ssize_t>(name.size()))
      refuse(file, errno);
    return lock;
  }
}

std::vector<std::string> RunLock::left(const std::filesystem::path& folder) {
  std::vector<std::string> hashes;
  std::error_code ignored;  // without a folder there are none
  for (const auto& file : std::filesystem::directory_iterator(folder, ignored)) {
    std::string hash = file.path().filename().string();
    if (!held(folder, hash)) hashes.push_back(std::move(hash));
  }
  return hashes;
}

bool RunLock::held(const std::filesystem::path& folder, const std::string& hash) {
  const int descriptor = ::open((folder / hash).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock question = whole_file(F_RDLCK);
  const bool asked = ::fcntl(descriptor, F_OFD_GETLK, &question) == 0;
  ::close(descriptor);
  return asked && question.l_type != F_UNLCK;
}

std::string RunLock::holder(const std::filesystem::path& folder, const std::string& hash) {
  char name[512];
  const int descriptor = ::open((folder / hash).c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t got = descriptor < 0 ? 0 : ::read(descriptor, name, sizeof name);
  if (descriptor >= 0) ::close(descriptor);
  return got > 0 ? std::string(name, static_cast<std::size_t>(got)) : "another process";
}

RunLock::RunLock(RunLock&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      after_a_kill_(other.after_a_kill_) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(after_a_kill_, other.after_a_kill_);
  return *this;
}

bool RunLock::move_to(const std::string& hash) {
  const std::filesystem::path file = file_.parent_path() / hash;
  if (::renameat2(AT_FDCWD, file_.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) != 0) return false;
  file_ = file;
  after_a_kill_ = false;
  return true;
}

RunLock::~RunLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());  // first, so that whoever locks it next sees that it is another file
  ::close(descriptor_);
}

}  // namespace fovea
