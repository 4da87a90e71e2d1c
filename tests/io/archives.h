// Archives as good and bad programs make them.
#pragma once

#include <cstdio>
#include <string>

#include "fovea/io/packed/zip.h"

namespace fovea {

// One member of a tar: kind '0' is a file, '1' a hard link, '2' a symbolic one, '3' a device, '5' a folder.
inline std::string tar_member(const std::string& name, const std::string& bytes, char kind = '0',
                              const std::string& link = {}) {
  std::string head(512, '\0');
  const auto put = [&head](std::size_t at, const std::string& text) { head.replace(at, text.size(), text); };
  const auto octal = [](std::size_t number, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*zo", digits, number);
    return std::string(text);
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(bytes.size(), 11));
  put(136, "00000000000");
  put(148, "        ");
  head[156] = kind;
  put(157, link);
  put(257, std::string("ustar\0", 6) + "00");
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  return head + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}
inline std::string tar_end() { return std::string(1024, '\0'); }

inline std::string zip_of(const std::string& name, const std::string& bytes) {
  std::string archive;
  ZipWriter writer([&archive](std::string_view part) { archive += part; });
  writer.add(name, bytes);
  writer.finish();
  return archive;
}

}  // namespace fovea
