#include "fovea/io/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace fovea {

namespace {

using Source = ByteReader::Source;

constexpr std::size_t piece = 1 << 16;

std::vector<Packing>& packings() {
  static std::vector<Packing> all;
  return all;
}

class FileSource final : public Source {
 public:
  explicit FileSource(const Location& location) : location_(location) {
    fd_ = ::open(location.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) {
      const int code = errno;
      if (code == ENOENT || code == ENOTDIR) throw wrong_input("there is no such file", "check the path", location);
      throw failure(fmt::format("cannot be opened: {}", std::strerror(code)),
                    "check its permissions, or name another file", location);
    }
    struct stat info {};
    if (::fstat(fd_, &info) == 0 && S_ISDIR(info.st_mode)) {
      ::close(fd_);
      throw wrong_input("is a folder, not a file", "name a file in it", location);
    }
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { ::close(fd_); }

  std::size_t read(char* to, std::size_t room) override {
    for (;;) {
      const ssize_t got = ::read(fd_, to, room);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw failure(fmt::format("cannot be read: {}", std::strerror(errno)), {}, location_);
    }
  }

 private:
  Location location_;
  int fd_;
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(char* to, std::size_t room) override {
    const std::size_t count = std::min(room, bytes_.size());
    std::copy_n(bytes_.data(), count, to);
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
};

// Gives the first bytes, which were looked at, before those that follow.
class Begun final : public Source {
 public:
  Begun(std::string first, std::unique_ptr<Source> rest) : first_(std::move(first)), rest_(std::move(rest)) {}
  std::size_t read(char* to, std::size_t room) override {
    if (given_ == first_.size()) return rest_->read(to, room);
    const std::size_t count = std::min(room, first_.size() - given_);
    std::copy_n(first_.data() + given_, count, to);
    given_ += count;
    return count;
  }

 private:
  std::string first_;
  std::size_t given_ = 0;
  std::unique_ptr<Source> rest_;
};

// A file whose name says that it is packed, and whose bytes do not.
void refuse_unpacked(std::string_view first, const Location& location) {
  if (location.file.ends_with(".gz") && !first.empty() && !first.starts_with("\x1f\x8b"))
    throw wrong_input("its name ends with .gz, and it is not packed by gzip",
                      "remove .gz from its name, or name another file", location);
}

std::unique_ptr<Source> unpacked(std::unique_ptr<Source> source, const Location& location) {
  std::string first(4, '\0');
  std::size_t have = 0;
  while (have < first.size()) {
    const std::size_t got = source->read(first.data() + have, first.size() - have);
    if (got == 0) break;
    have += got;
  }
  first.resize(have);
  const auto packing = std::ranges::find_if(packings(), [&](const Packing& p) { return first.starts_with(p.magic); });
  if (packing == packings().end()) refuse_unpacked(first, location);
  auto begun = std::make_unique<Begun>(std::move(first), std::move(source));
  if (packing == packings().end()) return begun;
  return packing->unpack(std::move(begun), location);
}

}  // namespace

RegisterPacking::RegisterPacking(Packing packing) { packings().push_back(packing); }

ByteReader::ByteReader(const std::filesystem::path& file)
    : location_{file.string()}, source_(unpacked(std::make_unique<FileSource>(location_), location_)) {}
ByteReader::ByteReader(std::string_view bytes, Location location)
    : location_(std::move(location)), source_(unpacked(std::make_unique<MemorySource>(bytes), location_)) {}
ByteReader::~ByteReader() = default;
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;

std::size_t ByteReader::read(char* to, std::size_t room) { return source_->read(to, room); }

std::string read_unpacked(ByteReader reader, std::size_t limit) {
  std::string all;
  std::vector<char> buffer(piece);
  while (const std::size_t got = reader.read(buffer.data(), buffer.size())) {
    if (got > limit - all.size())
      throw wrong_input(fmt::format("has more than the {} bytes that are read", limit),
                        "check that it is the right file", reader.location());
    all.append(buffer.data(), got);
  }
  return all;
}

}  // namespace fovea
