#include "fovea/view/canvas/png.h"

#include <zlib.h>

#include "fovea/io/packed/deflate.h"

namespace fovea {

namespace {

// Numbers in a PNG file have their largest byte first.
void append_number(std::string& bytes, std::uint64_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
}

// A chunk: the size of its data, its name of four letters, the data, and a checksum of name and data.
void append_chunk(std::string& bytes, const std::string& name, const std::string& data) {
  append_number(bytes, data.size());
  const std::string checked = name + data;
  bytes += checked;
  append_number(bytes, crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
}

}  // namespace

std::string png_of(const Image& image) {
  std::string header;
  append_number(header, static_cast<std::uint64_t>(image.width));
  append_number(header, static_cast<std::uint64_t>(image.height));
  header += {8, 2, 0, 0, 0};  // 8 bits each of red, green and blue; packed and filtered as usual; row after row
  std::string rows;
  for (int row = 0; row < image.height; ++row) {
    rows += '\0';  // no filter
    const auto first = image.rgb.begin() + std::ptrdiff_t{row} * image.width * 3;
    rows.append(first, first + std::ptrdiff_t{image.width} * 3);
  }
  std::string bytes = "\x89PNG\r\n\x1a\n";
  append_chunk(bytes, "IHDR", header);
  append_chunk(bytes, "IDAT", deflate(rows, 9, DeflateFrame::zlib));
  append_chunk(bytes, "IEND", {});
  return bytes;
}

}  // namespace fovea
