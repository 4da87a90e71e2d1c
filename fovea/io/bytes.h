// ByteReader: the bytes of a file, piece by piece (room io). LineReader, MNIST files and the vocabulary cache read
// through it. A file packed by gzip or zstd is unpacked while it is read (io/packed). The first bytes of the file
// decide, whatever its name. Reads the file; changes nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "fovea/base/error/error.h"

namespace fovea {

class ByteReader {
 public:
  // A file, a pipe or a device. Throws wrong_input where there is none or it is a folder, failure where it cannot be
  // read.
  explicit ByteReader(const std::filesystem::path& file);
  // Bytes in memory, which must outlive the reader; `location` is where they came from.
  ByteReader(std::string_view bytes, Location location);
  ~ByteReader();
  ByteReader(ByteReader&&) noexcept;
  ByteReader& operator=(ByteReader&&) noexcept;

  // Fills `to` with up to `room` bytes and says how many; 0 at the end only. Throws wrong_input for packed data that
  // are damaged or end too early.
  std::size_t read(char* to, std::size_t room);

  const Location& location() const { return location_; }

  // Bytes as they come, or unpacked.
  class Source {
   public:
    virtual ~Source() = default;
    virtual std::size_t read(char* to, std::size_t room) = 0;
  };

 private:
  Location location_;
  std::unique_ptr<Source> source_;
};

// A way to pack bytes, known by the first of them. Those of io/packed register themselves.
struct Packing {
  std::string_view magic;
  std::unique_ptr<ByteReader::Source> (*unpack)(std::unique_ptr<ByteReader::Source> packed, const Location& location);
};
struct RegisterPacking {
  explicit RegisterPacking(Packing packing);
};

// All of it, in memory. Throws wrong_input for more than `limit` bytes.
std::string read_unpacked(ByteReader reader, std::size_t limit);

}  // namespace fovea
