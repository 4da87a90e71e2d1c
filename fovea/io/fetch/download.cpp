#include "fovea/io/fetch/download.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "fovea/base/error/error.h"
#include "fovea/io/fetch/transfer.h"
#include "fovea/io/sha256.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

// FILE.part, held by one process at a time.
class Part {
 public:
  explicit Part(const fs::path& file) : file_(file), path_(file.string() + ".part") {
    std::error_code code;
    fs::create_directories(file.parent_path(), code);
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0)
      throw failure(fmt::format("cannot be written: {}", std::strerror(errno)), "check that you may write there",
                    {path_.string()});
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      ::close(fd_);
      throw failure("is being downloaded by another process", "wait until that process ends", {file.string()});
    }
    struct stat info {};
    if (::fstat(fd_, &info) == 0) size_ = info.st_size;
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    if (size_ == 0) throw_away();
    ::close(fd_);
  }

  std::int64_t size() const { return size_; }
  const fs::path& path() const { return path_; }

  // The error's number, or 0.
  int append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), size_);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return errno;
      size_ += put;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return 0;
  }
  void empty() {
    if (::ftruncate(fd_, 0) != 0)
      throw failure(fmt::format("cannot be written: {}", std::strerror(errno)), {}, {path_.string()});
    size_ = 0;
  }
  void throw_away() {
    if (!path_.empty()) ::unlink(path_.c_str());
    path_.clear();
  }
  void become_whole() {
    if (::fsync(fd_) != 0 || ::rename(path_.c_str(), file_.c_str()) != 0)
      throw failure(fmt::format("cannot be put in place: {}", std::strerror(errno)), {}, {file_.string()});
    path_.clear();
  }

 private:
  fs::path file_, path_;
  int fd_ = -1;
  std::int64_t size_ = 0;
};

class Downloading {
 public:
  Downloading(const Download& wanted, const DownloadManners& manners)
      : wanted_(wanted), manners_(manners), part_(wanted.file), older_(part_.size() > 0), most_(part_.size()) {}

  void run() {
    if (wanted_.bytes > 0 && part_.size() > wanted_.bytes) begin_again();
    for (;;) {
      fetch();
      std::string sum = sha256_of_file(part_.path());
      if (sum == wanted_.sha256) return part_.become_whole();
      if (!another_chance()) {
        part_.throw_away();
        throw failure(fmt::format("{} sent another file than the expected one: its SHA-256 is {}, not {}",
                                  wanted_.address, sum, wanted_.sha256),
                      "the file was deleted; try another source");
      }
    }
  }

 private:
  // Once: what came earlier may be of a file that has changed since, or of a disk that lost power.
  bool another_chance() {
    if (!older_ || again_) return false;
    again_ = true;
    begin_again();
    return true;
  }
  void begin_again() {
    part_.empty();
    older_ = false;
    most_ = 0;
  }

  void fetch() {
    double pause = manners_.pause;
    for (int fruitless = 0; wanted_.bytes == 0 || part_.size() < wanted_.bytes;) {
      const Transferred result = transfer();
      if (result.end == Transferred::End::refused) throw refusal(result);
      if (result.end == Transferred::End::whole && (wanted_.bytes == 0 || part_.size() == wanted_.bytes)) return;
      if (part_.size() > most_) {
        most_ = part_.size();
        fruitless = 0;
        pause = manners_.pause;
      } else if (++fruitless >= manners_.tries) {
        throw part_.size() > 0 ? failure(fmt::format("{} broke off after {}: {}", wanted_.address, share(), result.why),
                                         "the downloaded part is kept, and the same command continues from it")
                               : failure(fmt::format("{} gave nothing: {}", wanted_.address, result.why),
                                         "check the network, then give the same command again");
      }
      rest(pause);
      pause *= 2;
    }
  }

  // One connection.
  Transferred transfer() {
    disk_error_ = 0;
    too_many_ = false;
    Transfer transfer;
    transfer.address = wanted_.address;
    transfer.from = ask_for_all_ ? 0 : part_.size();
    transfer.timeout = manners_.timeout;
    transfer.restart = [this] {  // the server sends all of it
      part_.empty();
      older_ = false;
    };
    transfer.take = [this, &transfer](std::string_view bytes) {
      if (ask_for_all_) transfer.restart();
      ask_for_all_ = false;
      const std::int64_t most = wanted_.bytes > 0 ? wanted_.bytes : wanted_.most_bytes;
      too_many_ = part_.size() + static_cast<std::int64_t>(bytes.size()) > most;
      if (!too_many_) disk_error_ = part_.append(bytes);
      return !too_many_ && disk_error_ == 0;
    };
    transfer.go_on = [this](std::int64_t of) {
      if (manners_.progress) manners_.progress(part_.size(), wanted_.bytes > 0 ? wanted_.bytes : of);
      return !stopped();
    };
    if (transfer.from > 0) older_ = true;
    const Transferred result = fovea::transfer(transfer);
    ask_for_all_ = result.other_part;  // what has come is kept until the first byte of that
    if (stopped())
      throw failure(fmt::format("stopped after {} of {}", share(), wanted_.file.filename().string()),
                    "the downloaded part is kept, and the same command continues from it");
    if (disk_error_ != 0)
      throw failure(disk_error_ == ENOSPC || disk_error_ == EDQUOT
                        ? std::string("cannot be written: the disk is full")
                        : fmt::format("cannot be written: {}", std::strerror(disk_error_)),
                    "free some space. The downloaded part is kept, and the same command continues from it",
                    {part_.path().string()});
    if (too_many_) {
      if (another_chance()) return {Transferred::End::broken, "more data arrived than the file has", {}};
      part_.throw_away();
      throw failure(fmt::format("{} sent another file: it has more than {} bytes", wanted_.address,
                                wanted_.bytes > 0 ? wanted_.bytes : wanted_.most_bytes),
                    "the file was deleted; try another source");
    }
    return result;
  }

  Error refusal(const Transferred& result) const {
    if (result.bad_address) return wrong_input(fmt::format("'{}' {}", wanted_.address, result.why), result.remedy);
    return failure(fmt::format("{} {}", wanted_.address, result.why), result.remedy);
  }

  std::string share() const {
    return wanted_.bytes > 0 ? fmt::format("{} of {} bytes", part_.size(), wanted_.bytes)
                             : fmt::format("{} bytes", part_.size());
  }

  bool stopped() const { return manners_.stop && manners_.stop->load(); }

  void rest(double seconds) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!stopped() && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  const Download& wanted_;
  const DownloadManners& manners_;
  Part part_;
  bool older_;          // whether some of the part came with an earlier connection
  bool again_ = false;  // whether all was fetched once more
  std::int64_t most_;   // the longest that the part has been
  int disk_error_ = 0;
  bool too_many_ = false;
  bool ask_for_all_ = false;
};

}  // namespace

bool can_download() { return can_transfer(); }

void download(const Download& wanted, const DownloadManners& manners) {
  if (!can_download())
    throw failure("this program was built without libcurl, so it cannot download",
                  "install libcurl's development files and libarchive's, and build it again; or fetch the files by "
                  "other means");
  Downloading(wanted, manners).run();
}

}  // namespace fovea
