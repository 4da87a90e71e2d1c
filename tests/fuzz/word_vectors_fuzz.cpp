// Whatever bytes a file of word vectors holds, reading it ends in finite numbers for words that were asked for, each
// once, or in an error that names the file.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "fovea/data/text/word_vectors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const int width = 1 + data[0] % 4;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::set<int> taken;
  const auto row_of = [](std::string_view word) { return word.size() == 1 ? word[0] & 0x7f : -1; };
  const auto take = [&](int row, std::span<const double> values) {
    if (!taken.insert(row).second || values.size() != static_cast<std::size_t>(width)) std::abort();
    for (const double value : values)
      if (!std::isfinite(value)) std::abort();
  };
  try {
    const std::int64_t count = fovea::read_word_vectors(bytes, {"fuzz"}, width, row_of, take);
    if (count < static_cast<std::int64_t>(taken.size())) std::abort();
  } catch (const fovea::Error& error) {
    if (error.location().file != "fuzz" || error.kind() != fovea::Error::Kind::wrong_input) std::abort();
  }
  return 0;
}
