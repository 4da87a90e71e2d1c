#include "fovea/data/tasks/files/mnist.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/io/bytes.h"

namespace fovea {

namespace {

constexpr std::uint32_t images_magic = 0x00000803;  // unsigned bytes in three dimensions
constexpr std::uint32_t labels_magic = 0x00000801;  // unsigned bytes in one

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = (x << 8) | static_cast<unsigned char>(bytes[at + i]);
  return x;
}

// Checks the header (`dimensions` sizes) and that there is one byte for each element; returns the number of items.
std::uint32_t check_header(std::string_view bytes, std::uint32_t magic, std::size_t dimensions,
                           const std::string& holds, const Location& location) {
  const std::size_t header = 4 + 4 * dimensions;
  if (bytes.size() < 4)
    throw wrong_input(fmt::format("is not an IDX file: it has only {} bytes", bytes.size()), "fetch the file again",
                      location);
  const std::uint32_t found = big_endian(bytes, 0);
  if (found != magic) {
    if (found == images_magic)
      throw wrong_input("has images, not labels", "check whether the two files are swapped", location);
    if (found == labels_magic)
      throw wrong_input("has labels, not images", "check whether the two files are swapped", location);
    throw wrong_input(fmt::format("is not an IDX file of {}: it begins with {:08x}, not {:08x}", holds, found, magic),
                      "check that it is the right file", location);
  }
  if (bytes.size() < header)
    throw wrong_input(fmt::format("is incomplete: it ends within its header, at byte {}", bytes.size()),
                      "fetch the file again", location);
  const std::uint32_t count = big_endian(bytes, 4);
  if (count > static_cast<std::uint32_t>(most_idx_images))
    throw wrong_input(fmt::format("has {} {} by its header; at most {} are read", count, holds, most_idx_images),
                      "check that it is the right file", location);
  std::size_t each = 1;
  if (dimensions == 3) {
    const std::uint32_t rows = big_endian(bytes, 8), columns = big_endian(bytes, 12);
    if (rows != 28 || columns != 28)
      throw wrong_input(fmt::format("has images of {} x {} pixels, not 28 x 28", rows, columns),
                        "check that it is the right file", location);
    each = 28 * 28;
  }
  const std::size_t wanted = header + count * each;
  if (bytes.size() < wanted)
    throw wrong_input(fmt::format("is incomplete: its header has {} {}, which need {} bytes, and the file has {}",
                                  count, holds, wanted, bytes.size()),
                      "fetch the file again", location);
  if (bytes.size() > wanted)
    throw wrong_input(fmt::format("is too long: its header has {} {}, which need {} bytes, and the file has {}", count,
                                  holds, wanted, bytes.size()),
                      "check that it is the right file", location);
  return count;
}

std::filesystem::path find_file(const std::filesystem::path& folder, const std::string& set, const std::string& holds,
                                const std::string& suffix) {
  for (const char* joint : {"-", "."})
    for (const char* ending : {"", ".gz"}) {
      const std::filesystem::path path = folder / (set + "-" + holds + joint + suffix + ending);
      if (std::error_code ignored; std::filesystem::exists(path, ignored)) return path;
    }
  throw wrong_input(fmt::format("has no file {}-{}-{} (or with .gz)", set, holds, suffix),
                    "put the four MNIST files there, or set source to \"drawn\"", {folder.string()});
}

}  // namespace

std::vector<std::uint8_t> parse_idx_images(std::string_view bytes, const Location& location) {
  check_header(bytes, images_magic, 3, "images", location);
  return {bytes.begin() + 16, bytes.end()};
}

std::vector<std::uint8_t> parse_idx_labels(std::string_view bytes, const Location& location) {
  check_header(bytes, labels_magic, 1, "labels", location);
  std::vector<std::uint8_t> labels(bytes.begin() + 8, bytes.end());
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] > 9)
      throw wrong_input(fmt::format("has label {} at image {}, but a digit is 0 to 9", labels[i], i),
                        "check that it is the right file", location);
  return labels;
}

DigitSet read_idx_digits(const std::filesystem::path& images, const std::filesystem::path& labels) {
  const Location images_location{images.string()}, labels_location{labels.string()};
  const auto read = [](const std::filesystem::path& path) { return read_unpacked(ByteReader(path), most_idx_bytes); };
  DigitSet set;
  set.labels = parse_idx_labels(read(labels), labels_location);
  set.pixels = parse_idx_images(read(images), images_location);
  const std::size_t count = set.pixels.size() / (28 * 28);
  if (count != set.labels.size())
    throw wrong_input(fmt::format("has {} images, but {} has {} labels", count, labels.string(), set.labels.size()),
                      "use two files from the same source", images_location);
  if (count == 0) throw wrong_input("has no images", "check that it is the right file", images_location);
  return set;
}

DigitSet read_mnist(const std::filesystem::path& folder, const std::string& set) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw wrong_input("there is no such folder", "name the folder with the MNIST files, or set source to \"drawn\"",
                      {folder.string()});
  const std::filesystem::path images = find_file(folder, set, "images", "idx3-ubyte");
  return read_idx_digits(images, find_file(folder, set, "labels", "idx1-ubyte"));
}

}  // namespace fovea
