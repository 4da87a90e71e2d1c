// SoftwareUnit: the tile unit (math/tile_unit.h) in software (room math). math/bf16x3.cpp uses it on processors
// without AMX, and math/tile_check.h compares AMX with it. It makes the sums of TDPBF16PS, rounding by rounding, by
// fused multiply-adds in vectors. Processors without these (SSE, WebAssembly) first round products outside float32's
// range.
#pragma once

#include <cstdint>

#include "fovea/math/bf16x3.h"

namespace fovea::bf16x3 {

class SoftwareUnit {
 public:
  SoftwareUnit();  // numbers below 2^-126 count as 0 in this thread until the unit goes, if the processor can do that
  ~SoftwareUnit();
  SoftwareUnit(const SoftwareUnit&) = delete;
  SoftwareUnit& operator=(const SoftwareUnit&) = delete;

  template <int Sums>
  void clear() {
    load<Sums>(zeros_, 0);
  }
  template <int Sums>
  void load(const float* from, Index stride) {
    copy(from, stride, sums_[Sums], lines);
  }
  template <int Sums>
  void store(float* to, Index stride) {
    copy(sums_[Sums], lines, to, stride);
  }
  template <int Which>
  void load_rows(const std::uint32_t* tile) {
    expand(tile, rows_[Which]);
  }
  template <int Which>
  void load_panel(const std::uint32_t* tile) {
    expand(tile, panels_[Which]);
  }
  template <int Rows, int Panel>
  void multiply() {
    multiply(rows_[Rows], panels_[Panel], sums_[2 * Rows + Panel]);
  }

 private:
  static void copy(const float* from, Index from_stride, float* to, Index to_stride);
  static void expand(const std::uint32_t* tile, float* halves);  // lower halves, then upper
  static void multiply(const float* rows, const float* panel, float* sums);

  static constexpr float zeros_[lines] = {};
  alignas(64) float sums_[4][lines * lines];
  alignas(64) float rows_[2][2 * tile_words], panels_[2][2 * tile_words];
  [[maybe_unused]] unsigned before_ = 0;  // how this thread rounds otherwise
};

}  // namespace fovea::bf16x3
