// Makes one product on a tile unit, to compare its bits with those of the software unit (room math). math/bf16x3.cpp
// calls it once before AMX is used. The product has edges of every kind and numbers of every size.
#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/math/software_unit.h"
#include "fovea/math/tile_kernel.h"

namespace fovea::bf16x3 {

template <class Unit>
std::vector<float> checked_product() {
  constexpr Index kM = 53, kK = 301, kN = 61, kChunks = chunks_of(kK);
  // Every third row of a and column of b is tiny, so that terms and sums come to both sides of 2^-126.
  constexpr int kLeast = -75, kRange = 32;
  RandomStream random(1, "tile-check");
  const auto numbers = [&random](Index rows, Index columns, bool tiny_rows) {
    std::vector<float> x;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const int power = (tiny_rows ? i : j) % 3 == 2 ? kLeast + static_cast<int>(random.integer(kRange)) : 0;
        x.push_back(std::ldexp(static_cast<float>(random.normal()), power));
      }
    }
    return x;
  };
  const std::vector<float> a = numbers(kM, kK, true), b = numbers(kK, kN, false);
  std::vector<float> c = numbers(kM, kN, true);
  for (Index j = 0; j < kM * kN; j += 2) c[static_cast<std::size_t>(j)] = 0;
  const auto words = [](Index count) { return std::vector<std::uint32_t>(static_cast<std::size_t>(count)); };
  std::vector<std::uint32_t> panels = words(chunks_of(2 * kN) * kChunks * split_tile_words), band = words(band_words);
  split_columns({b.data(), kK, kN, kN, false}, panels.data());
  Unit unit;
  multiply_on(unit, {a.data(), kM, kK, kK, false}, panels.data(), kChunks, kN, c.data(), kN, true, band.data());
  return c;
}

template <class Unit>
bool like_software() {
  const std::vector<float> one = checked_product<Unit>(), other = checked_product<SoftwareUnit>();
  for (std::size_t i = 0; i < one.size(); ++i)
    if (std::bit_cast<std::uint32_t>(one[i]) != std::bit_cast<std::uint32_t>(other[i])) return false;
  return true;
}

}  // namespace fovea::bf16x3
