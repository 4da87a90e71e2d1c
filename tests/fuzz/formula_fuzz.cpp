// Whatever a formula says, parsing it ends in a formula that can be evaluated or in wrong_input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/math/formula.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const double values[] = {0.5, -2, 3, 1};
  try {
    const auto formula =
        fovea::Formula::parse({reinterpret_cast<const char*>(data), size}, {"q", "k", "d2", "dot"}, {"fuzz"});
    static_cast<void>(formula(values));
  } catch (const fovea::Error& error) {
    if (error.kind() != fovea::Error::Kind::wrong_input || error.location().file != "fuzz") std::abort();
  }
  return 0;
}
