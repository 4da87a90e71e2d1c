// Whatever bytes an IDX file holds, reading it ends in digits or in wrong_input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/data/tasks/files/mnist.h"
#include "fovea/io/bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fovea::Location location{"fuzz"};
  constexpr std::size_t limit = 1 << 20;
  for (const bool images : {true, false}) {
    try {
      const std::string bytes =
          fovea::read_unpacked(fovea::ByteReader({reinterpret_cast<const char*>(data), size}, location), limit);
      if (bytes.size() > limit) std::abort();
      const auto elements =
          images ? fovea::parse_idx_images(bytes, location) : fovea::parse_idx_labels(bytes, location);
      if (images && elements.size() % (28 * 28) != 0) std::abort();
    } catch (const fovea::Error& error) {
      if (error.kind() != fovea::Error::Kind::wrong_input || error.location().file != "fuzz") std::abort();
    }
  }
  return 0;
}
