#include "fovea/io/packed/zip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <map>

#include "tests/sanitized.h"

namespace fovea {
namespace {

std::uint64_t number(const std::string& bytes, std::size_t at, int count) {
  std::uint64_t x = 0;
  for (int i = count; i-- > 0;) x = x << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return x;
}

std::string inflated(const std::string& packed, std::size_t size) {
  z_stream stream{};
  EXPECT_EQ(::inflateInit2(&stream, -MAX_WBITS), Z_OK);
  std::string out(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::inflateEnd(&stream);
  return out;
}

// By the table of contents at the end, as readers do it; 32-bit sizes only.
std::map<std::string, std::string> unpacked(const std::string& archive) {
  std::map<std::string, std::string> members;
  const std::size_t end = archive.rfind("PK\x05\x06");
  std::uint64_t count = number(archive, end + 10, 2), at = number(archive, end + 16, 4);
  if (count == 0xffff) {
    const std::size_t wide = archive.rfind(std::string("PK\x06\x06"));
    EXPECT_EQ(number(archive, archive.rfind("PK\x06\x07") + 8, 8), wide);
    count = number(archive, wide + 32, 8);
  }
  for (; count > 0; --count) {
    EXPECT_EQ(archive.substr(at, 4), "PK\x01\x02");
    const std::uint64_t method = number(archive, at + 10, 2), crc = number(archive, at + 16, 4);
    const std::uint64_t packed = number(archive, at + 20, 4), size = number(archive, at + 24, 4);
    const std::uint64_t name_size = number(archive, at + 28, 2), place = number(archive, at + 42, 4);
    const std::string name = archive.substr(at + 46, name_size);
    EXPECT_EQ(archive.substr(place, 4), "PK\x03\x04");
    EXPECT_EQ(archive.substr(place + 30, name_size), name);
    const std::uint64_t data = place + 30 + name_size + number(archive, place + 28, 2);
    std::string bytes = archive.substr(data, packed);
    if (method == 8) bytes = inflated(bytes, size);
    EXPECT_EQ(bytes.size(), size);
    EXPECT_EQ(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), crc) << name;
    EXPECT_TRUE(members.emplace(name, bytes).second) << name;
    at += 46 + name_size + number(archive, at + 30, 2);
  }
  return members;
}

TEST(ZipWriter, MembersComeOutAsTheyWentIn) {
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 300'000; ++i)
    noise += static_cast<char>(static_cast<unsigned char>((x = x * 1664525 + 1013904223) >> 24));
  const std::map<std::string, std::string> members{
      {"empty", ""}, {"zeros", std::string(1'000'000, '\0')}, {"noise", noise}, {"a/ö.npy", "small"}};
  std::string archive;
  ZipWriter zip([&archive](std::string_view bytes) { archive += bytes; });
  for (const auto& [name, bytes] : members) zip.add(name, bytes);
  zip.finish();
  EXPECT_EQ(unpacked(archive), members);
  EXPECT_LT(archive.size(), noise.size() + 20'000);  // zeros shrink, and noise does not grow
}

TEST(ZipWriter, TakesMoreMembersThanTheOldFormHasNumbersFor) {
  if (sanitized)
    GTEST_SKIP() << "so many members take a minute there; a few are written and read by the tests beside it";
  std::string archive;
  ZipWriter zip([&archive](std::string_view bytes) { archive += bytes; });
  for (int i = 0; i < 70'000; ++i) zip.add(std::to_string(i), "x");
  zip.finish();
  EXPECT_EQ(unpacked(archive).size(), 70'000u);
}

TEST(ZipWriter, OfNothingIsAnEmptyArchive) {
  std::string archive;
  ZipWriter zip([&archive](std::string_view bytes) { archive += bytes; });
  zip.finish();
  EXPECT_EQ(archive.size(), 22u);
  EXPECT_TRUE(unpacked(archive).empty());
}

}  // namespace
}  // namespace fovea
