// Sha256: the checksum that publishers of files give (FIPS 180-4) (room io). Downloads and data/corpus/get_corpus.cpp
// check files with it, and lab/train weights. It vouches for foreign bytes; Digest (io/digest.h) does not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

class Sha256 {
 public:
  void add(std::string_view bytes);
  std::string hex();  // 64 digits; nothing may be added after it

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> waiting_{};
  std::size_t waits_ = 0;
  std::uint64_t length_ = 0;
};

// Of a file as it lies there, packed or not.
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace fovea
