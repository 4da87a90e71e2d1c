// Registers the unpackers of gzip and zstd, piece by piece (room io/packed). ByteReader (io/bytes.h) chooses one by
// the first bytes of a file.
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "fovea/io/bytes.h"

namespace fovea {

namespace {

using Source = ByteReader::Source;

constexpr std::size_t piece_bytes = 1 << 16;
constexpr const char* fetch_again = "fetch the file again";

// What both unpackers share: packed bytes wait in a buffer.
class Unpacker : public Source {
 public:
  Unpacker(std::unique_ptr<Source> packed, const Location& location)
      : location_(location), packed_(std::move(packed)) {}

 protected:
  // Whether bytes wait, or could be had.
  bool fill() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = packed_->read(buffer_.data(), buffer_.size());
    }
    return begin_ < end_;
  }

  Location location_;
  std::string buffer_ = std::string(piece_bytes, '\0');
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
      if (!more) throw wrong_input("is cut short: its gzip data end too early", fetch_again, location_);
      z_.next_in = reinterpret_cast<Bytef*>(buffer_.data() + begin_);
      z_.avail_in = static_cast<uInt>(end_ - begin_);
      const int state = inflate(&z_, Z_NO_FLUSH);
      begin_ = end_ - z_.avail_in;
      if (state == Z_STREAM_END) within_ = false;
      else if (state != Z_OK && state != Z_BUF_ERROR)
        throw wrong_input(fmt::format("has damaged gzip data ({})", z_.msg ? z_.msg : "unreadable"), fetch_again,
                          location_);
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
    if (state != Z_OK) throw failure("cannot be unpacked: no memory", {}, location_);
    begun_ = within_ = true;
    return true;
  }

  z_stream z_{};
  bool begun_ = false;
  bool within_ = false;
};

class Zstd final : public Unpacker {
 public:
  Zstd(std::unique_ptr<Source> packed, const Location& location)
      : Unpacker(std::move(packed), location), context_(ZSTD_createDCtx()) {
    if (!context_) throw failure("cannot be unpacked: no memory", {}, location);
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
          if (within_) throw wrong_input("is cut short: its zstd data end too early", fetch_again, location_);
          return 0;
        }
        in = {buffer_.data() + begin_, end_ - begin_, 0};
      }
      const std::size_t state = ZSTD_decompressStream(context_, &out, &in);
      begin_ += in.pos;
      if (ZSTD_isError(state))
        throw wrong_input(fmt::format("has damaged zstd data ({})", ZSTD_getErrorName(state)), fetch_again, location_);
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

template <class Unpacker>
std::unique_ptr<Source> unpack(std::unique_ptr<Source> packed, const Location& location) {
  return std::make_unique<Unpacker>(std::move(packed), location);
}

const RegisterPacking gzip({"\x1f\x8b", unpack<Gzip>});
const RegisterPacking zstd({"\x28\xb5\x2f\xfd", unpack<Zstd>});

}  // namespace

}  // namespace fovea
