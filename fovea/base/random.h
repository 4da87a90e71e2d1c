// RandomStream: counter-based random numbers, Philox4x64-10 (Salmon, Moraes, Dror and Shaw, 2011) (room base). Tasks,
// parameters, dropout, noise and resampling draw from it.
//
// (seed, purpose, step, index) name a stream. A number depends on nothing that was drawn before it elsewhere. Batches
// can be made in any order, on any thread, and a resumed run needs no generator state.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace fovea {

using Philox4x64Block = std::array<std::uint64_t, 4>;
Philox4x64Block philox4x64(Philox4x64Block counter, std::array<std::uint64_t, 2> key);

// A 64-bit name for what the numbers are for ("init", "batch", "dropout"); FNV-1a, fixed for ever.
constexpr std::uint64_t purpose_id(std::string_view purpose) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t step = 0, std::uint64_t index = 0)
      : key_{seed, purpose_id(purpose)}, counter_{0, index, step, 0} {}

  std::uint64_t bits();                        // 64 random bits
  double uniform();                            // [0, 1), 53 bits
  double uniform(double low, double high);     // [low, high)
  double normal();                             // N(0, 1), Box-Muller
  std::uint64_t integer(std::uint64_t below);  // [0, below), without bias; below >= 1

  // Fills `out` with the first out.size() entries of a uniform permutation of 0 .. universe-1:
  // that is distinct draws, in random order. out.size() <= universe. `scratch` holds `universe` ints.
  void distinct(std::span<int> out, std::span<int> scratch);
  void permutation(std::span<int> out);  // a uniform permutation of 0 .. out.size()-1

 private:
  std::array<std::uint64_t, 2> key_;
  Philox4x64Block counter_;
  Philox4x64Block block_{};
  int used_ = 4;  // how many of block_ are spent
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace fovea
