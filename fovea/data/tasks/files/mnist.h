// Reads labelled digit images from IDX files, the format of MNIST, plain or gzip-compressed (room data/tasks/files).
// digit_images.h of this room calls it. It changes nothing.
//
// Whatever the bytes are, the result is a set of digits, or wrong_input that names the file and its fault. Memory
// never exceeds the limits below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/error/error.h"

namespace fovea {

constexpr int most_idx_images = 250'000;
constexpr std::size_t most_idx_bytes = std::size_t{most_idx_images} * 28 * 28 + 16;

// Images of 28 x 28 pixels, 0 to 255, with a digit each.
struct DigitSet {
  std::vector<std::uint8_t> pixels;  // (count, 784)
  std::vector<std::uint8_t> labels;  // (count), 0 to 9

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

// Reads `folder`/`set`-images-idx3-ubyte and `set`-labels-idx1-ubyte (or with .idx3-ubyte; each with or without .gz).
// `set` is "train" or "t10k".
DigitSet read_mnist(const std::filesystem::path& folder, const std::string& set);

DigitSet read_idx_digits(const std::filesystem::path& images, const std::filesystem::path& labels);

// The parts, from bytes in memory; `location` names the file they came from.
std::vector<std::uint8_t> parse_idx_images(std::string_view bytes, const Location& location);
std::vector<std::uint8_t> parse_idx_labels(std::string_view bytes, const Location& location);

}  // namespace fovea
