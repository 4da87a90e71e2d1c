// Digest: a 128-bit name for a content, the same for the same bytes on every machine (FNV-1a) (room io). Corpora,
// specs and caches are named by it. It separates contents. It does not stop someone who wants two contents to have
// one name.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

class Digest {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * prime;
  }
  std::string hex() const;  // 32 digits

 private:
  __extension__ typedef unsigned __int128 Word;
  static constexpr Word prime = (Word{1} << 88) + 0x13b;
  Word hash_ = (Word{0x6c62272e07bb0142u} << 64) + 0x62b821756295c58du;
};

}  // namespace fovea
