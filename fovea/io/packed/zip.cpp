#include "fovea/io/packed/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/io/packed/deflate.h"

namespace fovea {

namespace {

constexpr std::uint16_t stored = 0, deflated = 8;
constexpr std::uint16_t plain_version = 20, large_version = 45;
constexpr std::uint16_t utf8_names = 0x0800;
constexpr std::uint16_t first_of_1980 = 0x21;  // the format's earliest date
constexpr std::uint64_t large = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t many = std::numeric_limits<std::uint16_t>::max();

// Little-endian numbers, one after the other.
class Bytes {
 public:
  Bytes& u16(std::uint64_t x) { return number(x, 2); }
  Bytes& u32(std::uint64_t x) { return number(x, 4); }
  Bytes& u64(std::uint64_t x) { return number(x, 8); }
  Bytes& text(std::string_view x) {
    bytes_ += x;
    return *this;
  }
  const std::string& all() const { return bytes_; }

 private:
  Bytes& number(std::uint64_t x, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(static_cast<unsigned char>(x >> (8 * i)));
    return *this;
  }
  std::string bytes_;
};

// What stands in a field of 32 bits for a number that has its place in the 64-bit part.
std::uint64_t or_large(std::uint64_t x) { return std::min(x, large); }

}  // namespace

void ZipWriter::put(std::string_view bytes) {
  sink_(bytes);
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::string_view bytes) {
  if (name.size() > many)
    throw failure("a name of " + std::to_string(name.size()) + " bytes is too long for an archive");
  // A low level: arrays of floats hardly shrink further, and there are many of them.
  const std::string packed = deflate(bytes, 1, DeflateFrame::none);
  const bool is_packed = packed.size() < bytes.size();
  const std::string_view data = is_packed ? std::string_view(packed) : bytes;
  const auto crc = static_cast<std::uint32_t>(
      ::crc32_z(::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  Member member{name, crc, is_packed ? deflated : stored, data.size(), bytes.size(), written_};
  const bool is_large = bytes.size() >= large;
  Bytes extra;
  if (is_large) extra.u16(1).u16(16).u64(member.size).u64(member.packed);
  Bytes head;
  head.u32(0x04034b50).u16(is_large ? large_version : plain_version).u16(utf8_names).u16(member.method);
  head.u16(0).u16(first_of_1980).u32(crc).u32(is_large ? large : member.packed).u32(is_large ? large : member.size);
  head.u16(name.size()).u16(extra.all().size()).text(name).text(extra.all());
  put(head.all());
  put(data);
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  const std::uint64_t begin = written_;
  for (const Member& member : members_) {
    Bytes extra, wide;
    if (member.size >= large) wide.u64(member.size);
    if (member.packed >= large) wide.u64(member.packed);
    if (member.place >= large) wide.u64(member.place);
    if (!wide.all().empty()) extra.u16(1).u16(wide.all().size()).text(wide.all());
    const std::uint16_t needed = extra.all().empty() ? plain_version : large_version;
    Bytes entry;
    entry.u32(0x02014b50).u16(needed).u16(needed).u16(utf8_names).u16(member.method).u16(0).u16(first_of_1980);
    entry.u32(member.crc).u32(or_large(member.packed)).u32(or_large(member.size));
    entry.u16(member.name.size()).u16(extra.all().size()).u16(0).u16(0).u16(0).u32(0).u32(or_large(member.place));
    entry.text(member.name).text(extra.all());
    put(entry.all());
  }
  const std::uint64_t size = written_ - begin, count = members_.size();
  if (count >= many || size >= large || begin >= large) {
    const std::uint64_t place = written_;
    Bytes end;
    end.u32(0x06064b50).u64(44).u16(large_version).u16(large_version).u32(0).u32(0);
    end.u64(count).u64(count).u64(size).u64(begin);
    end.u32(0x07064b50).u32(0).u64(place).u32(1);
    put(end.all());
  }
  Bytes end;
  end.u32(0x06054b50).u16(0).u16(0).u16(std::min(count, many)).u16(std::min(count, many));
  end.u32(or_large(size)).u32(or_large(begin)).u16(0);
  put(end.all());
}

}  // namespace fovea
