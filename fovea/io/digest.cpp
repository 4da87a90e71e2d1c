#include "fovea/io/digest.h"

#include <fmt/format.h>

#include <cstdint>

namespace fovea {

std::string Digest::hex() const {
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash_ >> 64), static_cast<std::uint64_t>(hash_));
}

}  // namespace fovea
