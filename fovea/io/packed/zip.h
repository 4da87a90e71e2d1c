// ZipWriter: writes a zip archive, member by member, to a sink (room io/packed). The NPZ export (lab/export) uses it.
// Members are deflated if that makes them smaller, and use the 64-bit form if sizes or counts need it. Times are left
// out, so the same members make the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

class ZipWriter {
 public:
  using Sink = std::function<void(std::string_view)>;  // takes the archive's bytes, from first to last
  explicit ZipWriter(Sink sink) : sink_(std::move(sink)) {}

  void add(const std::string& name, std::string_view bytes);  // name: UTF-8, at most 65535 bytes; given once
  void finish();                                              // the table of contents, without which it is no archive

 private:
  struct Member {
    std::string name;
    std::uint32_t crc;
    std::uint16_t method;
    std::uint64_t packed, size, place;
  };
  void put(std::string_view bytes);

  Sink sink_;
  std::uint64_t written_ = 0;
  std::vector<Member> members_;
};

}  // namespace fovea
