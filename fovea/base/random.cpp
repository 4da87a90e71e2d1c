#include "fovea/base/random.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

constexpr std::uint64_t multiplier0 = 0xD2E7470EE14C6C93u;
constexpr std::uint64_t multiplier1 = 0xCA5A826395121157u;
constexpr std::uint64_t weyl0 = 0x9E3779B97F4A7C15u;  // golden ratio
constexpr std::uint64_t weyl1 = 0xBB67AE8584CAA73Bu;  // sqrt(3) - 1

struct Wide {
  std::uint64_t high, low;
};

Wide multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide128 = unsigned __int128;
  const Wide128 product = static_cast<Wide128>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

}  // namespace

Philox4x64Block philox4x64(Philox4x64Block counter, std::array<std::uint64_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const Wide a = multiply(multiplier0, counter[0]);
    const Wide b = multiply(multiplier1, counter[2]);
    counter = {b.high ^ counter[1] ^ key[0], b.low, a.high ^ counter[3] ^ key[1], a.low};
    key[0] += weyl0;
    key[1] += weyl1;
  }
  return counter;
}

std::uint64_t RandomStream::bits() {
  if (used_ == 4) {
    block_ = philox4x64(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

double RandomStream::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform(); }

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * math::log1p(-uniform()));  // 1 - u lies in (0, 1]
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * math::sin(angle);
  has_spare_ = true;
  return radius * math::cos(angle);
}

std::uint64_t RandomStream::integer(std::uint64_t below) {
  // Lemire's multiply-and-reject: the high word of bits * below is uniform once the few biased low words are redrawn.
  Wide product = multiply(bits(), below);
  if (product.low < below) {
    const std::uint64_t biased = (0 - below) % below;
    while (product.low < biased) product = multiply(bits(), below);
  }
  return product.high;
}

void RandomStream::distinct(std::span<int> out, std::span<int> scratch) {
  for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t j = i + integer(scratch.size() - i);
    std::swap(scratch[i], scratch[j]);
    out[i] = scratch[i];
  }
}

void RandomStream::permutation(std::span<int> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) std::swap(out[i], out[i + integer(out.size() - i)]);
}

}  // namespace fovea
