#include "fovea/math/bf16x3.h"

#include <memory>
#include <vector>

#include "fovea/math/amx_unit.h"
#include "fovea/math/simd.h"
#include "fovea/math/software_unit.h"
#include "fovea/math/tile_check.h"
#include "fovea/math/tile_kernel.h"
#include "fovea/math/tile_unit.h"

#ifdef FOVEA_HAS_AMX_UNIT
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace fovea::bf16x3 {
namespace {

#ifdef FOVEA_HAS_AMX_UNIT
constexpr unsigned bit(int n) { return 1u << n; }

// Tiles of bfloat16, and an operating system that keeps them when it changes threads.
bool processor_has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit(27)) == 0) return false;  // OSXSAVE
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kTilesOfBfloat16 = bit(24) | bit(22), kTileState = bit(17) | bit(18);
  if ((d & kTilesOfBfloat16) != kTilesOfBfloat16) return false;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileState) == kTileState;
}

// AVX-512 BF16.
bool processor_has_rounding() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & bit(5)) != 0;
}

// Linux gives a process the tiles' 8 KiB a thread only when asked.
bool permitted() {
  constexpr long kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

TileChoice choose() {
  if (!processor_has_amx()) return {TileUnit::software, Why::absent};
  if (simd_is_capped()) return {TileUnit::software, Why::capped};
  if (!permitted()) return {TileUnit::software, Why::not_permitted};
  if (!like_software<AmxUnit>()) return {TileUnit::software, Why::differs};
  return {TileUnit::amx, Why::best};
}
#else
TileChoice choose() { return {}; }
bool processor_has_rounding() { return false; }
#endif

std::uint32_t* band_space() {
  struct alignas(64) Band {
    std::uint32_t words[band_words];
  };
  thread_local std::unique_ptr<Band> band;
  if (!band) band.reset(new Band);  // not made_unique: nobody reads what was not written
  return band->words;
}

}  // namespace

const TileChoice& tile_choice() {
  static const TileChoice choice = choose();
  return choice;
}

bool processor_rounds() {
  static const bool rounds = processor_has_rounding() && !simd_is_capped();
  return rounds;
}

void multiply(const Operand<float>& a, const std::uint32_t* panels, Index panel_chunks, Index columns, float* c,
              Index c_stride, bool add) {
  std::uint32_t* const band = band_space();
#ifdef FOVEA_HAS_AMX_UNIT
  if (tile_choice().unit == TileUnit::amx) {
    AmxUnit unit;
    return multiply_on(unit, a, panels, panel_chunks, columns, c, c_stride, add, band);
  }
#endif
  SoftwareUnit unit;
  multiply_on(unit, a, panels, panel_chunks, columns, c, c_stride, add, band);
}

}  // namespace fovea::bf16x3
