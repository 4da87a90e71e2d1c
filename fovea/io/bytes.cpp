#include "fovea/io/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace fovea {

class ByteReader::Source {
 public:
  virtual ~Source() = default;
  virtual std::size_t read(char* to, std::size_t room) = 0;
};

namespace {

using Source = ByteReader::Source;

constexpr std::size_t piece = 1 << 16;
constexpr const char* fetch_again = "fetch the file again";

class FileSource final : public Source {
 public:
  explicit FileSource(const Place& place) : place_(place) {
    fd_ = ::open(place.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) {
      const int code = errno;
      if (code == ENOENT || code == ENOTDIR) throw wrong_input("there is no such file", "check the path", place);
      throw failure(fmt::format("cannot be opened: {}", std::strerror(code)), {}, place);
    }
    struct stat info {};
    if (::fstat(fd_, &info) == 0 && S_ISDIR(info.st_mode)) {
      ::close(fd_);
      throw wrong_input("is a folder, not a file", "name a file in it", place);
    }
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { ::close(fd_); }

  std::size_t read(char* to, std::size_t room) override {
    for (;;) {
      const ssize_t got = ::read(fd_, to, room);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw failure(fmt::format("cannot be read: {}", std::strerror(errno)), {}, place_);
    }
  }

 private:
  Place place_;
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

// What both unpackers share: packed bytes wait in a buffer.
class Unpacker : public Source {
 public:
  Unpacker(std::unique_ptr<Source> packed, const Place& place) : place_(place), packed_(std::move(packed)) {}

 protected:
  // Whether bytes wait, or could be had.
  bool fill() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = packed_->read(buffer_.data(), buffer_.size());
    }
    return begin_ < end_;
  }

  Place place_;
  std::string buffer_ = std::string(piece, '\0');
  std::size_t begin_ = 0, end_ = 0;

 private:
  std::unique_ptr<Source> packed_;
};

class Gzip final : public Unpacker {
 public:
  using Unpacker::Unpacker;
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override {
    if (begun_) inflateEnd(&z_);
  }

  std::size_t read(char* to, std::size_t room) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(room, 1 << 30));
    z_.next_out = reinterpret_cast<Bytef*>(to);
    z_.avail_out = wanted;
    while (z_.avail_out == wanted) {
      const bool more = fill();
      if (!within_) {
        if (!more || !begin_member()) return 0;
        continue;
      }
      if (!more) throw wrong_input("is cut short: its gzip data end too early", fetch_again, place_);
      z_.next_in = reinterpret_cast<Bytef*>(buffer_.data() + begin_);
      z_.avail_in = static_cast<uInt>(end_ - begin_);
      const int state = inflate(&z_, Z_NO_FLUSH);
      begin_ = end_ - z_.avail_in;
      if (state == Z_STREAM_END) within_ = false;
      else if (state != Z_OK && state != Z_BUF_ERROR)
        throw wrong_input(fmt::format("has damaged gzip data ({})", z_.msg ? z_.msg : "unreadable"), fetch_again,
                          place_);
    }
    return wanted - z_.avail_out;
  }

 private:
  // A file may be several gzip files one after the other. What follows the last and is none is padding, as gzip sees
  // it.
  bool begin_member() {
    if (begun_ && buffer_[begin_] != '\x1f') {
      begin_ = end_ = 0;
      return false;
    }
    const int state = begun_ ? inflateReset(&z_) : inflateInit2(&z_, 15 + 16);
    if (state != Z_OK) throw failure("cannot be unpacked: no memory", {}, place_);
    begun_ = within_ = true;
    return true;
  }

  z_stream z_{};
  bool begun_ = false;
  bool within_ = false;
};

class Zstd final : public Unpacker {
 public:
  Zstd(std::unique_ptr<Source> packed, const Place& place)
      : Unpacker(std::move(packed), place), context_(ZSTD_createDCtx()) {
    if (!context_) throw failure("cannot be unpacked: no memory", {}, place);
  }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  ~Zstd() override { ZSTD_freeDCtx(context_); }

  std::size_t read(char* to, std::size_t room) override {
    ZSTD_outBuffer out{to, room, 0};
    while (out.pos == 0) {
      // The decoder may hold bytes that only wait for room, so it is asked again before the file is.
      ZSTD_inBuffer in{buffer_.data() + begin_, end_ - begin_, 0};
      if (!waiting_) {
        if (!fill()) {
          if (within_) throw wrong_input("is cut short: its zstd data end too early", fetch_again, place_);
          return 0;
        }
        in = {buffer_.data() + begin_, end_ - begin_, 0};
      }
      const std::size_t state = ZSTD_decompressStream(context_, &out, &in);
      begin_ += in.pos;
      if (ZSTD_isError(state))
        throw wrong_input(fmt::format("has damaged zstd data ({})", ZSTD_getErrorName(state)), fetch_again, place_);
      within_ = state != 0;
      waiting_ = within_ && out.pos == out.size;
    }
    return out.pos;
  }

 private:
  ZSTD_DCtx* context_;
  bool within_ = false;
  bool waiting_ = false;
};

std::unique_ptr<Source> unpacked(std::unique_ptr<Source> source, const Place& place) {
  std::string first(4, '\0');
  std::size_t have = 0;
  while (have < first.size()) {
    const std::size_t got = source->read(first.data() + have, first.size() - have);
    if (got == 0) break;
    have += got;
  }
  first.resize(have);
  const bool gzip = first.starts_with("\x1f\x8b"), zstd = first == "\x28\xb5\x2f\xfd";
  auto begun = std::make_unique<Begun>(std::move(first), std::move(source));
  if (gzip) return std::make_unique<Gzip>(std::move(begun), place);
  if (zstd) return std::make_unique<Zstd>(std::move(begun), place);
  return begun;
}

}  // namespace

ByteReader::ByteReader(const std::filesystem::path& file)
    : place_{file.string()}, source_(unpacked(std::make_unique<FileSource>(place_), place_)) {}
ByteReader::ByteReader(std::string_view bytes, Place place)
    : place_(std::move(place)), source_(unpacked(std::make_unique<MemorySource>(bytes), place_)) {}
ByteReader::~ByteReader() = default;
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;

std::size_t ByteReader::read(char* to, std::size_t room) { return source_->read(to, room); }

std::string read_unpacked(ByteReader reader, std::size_t limit) {
  std::string all;
  std::vector<char> buffer(piece);
  while (const std::size_t got = reader.read(buffer.data(), buffer.size())) {
    if (got > limit - all.size())
      throw wrong_input(fmt::format("holds more than the {} bytes that are read", limit), "is it the right file?",
                        reader.place());
    all.append(buffer.data(), got);
  }
  return all;
}

}  // namespace fovea
