// AmxUnit: the tile unit (math/tile_unit.h) of processors with AMX (room math). math/bf16x3.cpp alone uses it. It
// uses AMX instructions directly, so no function needs to be compiled for AMX. Memory is written before a tile is
// loaded. Each thread uses one unit at a time.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#define FOVEA_HAS_AMX_UNIT 1

#include <cstdint>

#include "fovea/math/bf16x3.h"

namespace fovea::bf16x3 {

class AmxUnit {
 public:
  AmxUnit() {
    struct alignas(64) Shape {
      std::uint8_t palette = 1, start = 0, reserved[14] = {};
      std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};  // of a row
      std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    };
    static_assert(sizeof(Shape) == 64);
    static constexpr Shape kShape;
    asm volatile("ldtilecfg %0" : : "m"(kShape));
  }
  ~AmxUnit() { asm volatile("tilerelease" : : : "memory"); }
  AmxUnit(const AmxUnit&) = delete;
  AmxUnit& operator=(const AmxUnit&) = delete;

  template <int Sums>
  void clear() {
    asm volatile("tilezero %%tmm%c0" : : "i"(Sums));
  }
  template <int Sums>
  void load(const float* from, Index stride) {
    read<Sums>(from, stride * static_cast<Index>(sizeof(float)));
  }
  template <int Sums>
  void store(float* to, Index stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(to), "r"(stride * static_cast<Index>(sizeof(float))), "i"(Sums)
                 : "memory");
  }
  template <int Which>
  void load_rows(const std::uint32_t* tile) {
    read<4 + Which>(tile, kTileBytes / lines);
  }
  template <int Which>
  void load_panel(const std::uint32_t* tile) {
    read<6 + Which>(tile, kTileBytes / lines);
  }
  template <int Rows, int Panel>
  void multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(2 * Rows + Panel), "i"(4 + Rows), "i"(6 + Panel));
  }

 private:
  static constexpr Index kTileBytes = tile_words * static_cast<Index>(sizeof(std::uint32_t));

  template <int Tile>
  static void read(const void* from, Index stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
  }
};

}  // namespace fovea::bf16x3

#endif
