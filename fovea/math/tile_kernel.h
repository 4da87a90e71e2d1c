// The kernel of the product in three terms (math/bf16x3.h) on a tile unit (math/tile_unit.h) (room math).
// math/bf16x3.cpp and math/tile_check.h alone use it.
#pragma once

#include <algorithm>

#include "fovea/math/bf16x3.h"

namespace fovea::bf16x3 {

// Rows of a that are split together, and how deep: what a panel's tiles are multiplied with stays in the second-level
// cache, and the panel's in the first.
inline constexpr Index band_rows = 128, part_chunks = 8;
inline constexpr Index band_words = band_rows / lines * part_chunks * split_tile_words;

// A block of c: up to two tiles of rows times up to two panels.
struct TileBlock {
  const std::uint32_t* rows;
  Index rows_step;  // words from a tile of rows to the one below
  const std::uint32_t* panels;
  Index panel_step;  // words from a panel to the next
  Index chunks;
  float* c;
  Index c_stride;
  Index height, width;  // of c, up to 32 each
  bool add;
};

template <class Unit>
class TileKernel {
 public:
  TileKernel(Unit& unit, const TileBlock& block) : unit_(unit), block_(block) {}

  template <int Rows, int Panels>
  void run() {
    each_sum<Rows, Panels>([this]<int R, int P>() { this->template begin<R, P>(); });
    for (Index q = 0; q < block_.chunks; ++q) {
      const std::uint32_t* const hi_a = block_.rows + q * split_tile_words;
      const std::uint32_t* const hi_b = block_.panels + q * split_tile_words;
      load_rows<Rows>(hi_a);
      load_panels<Panels>(hi_b);
      multiply<Rows, Panels>();
      load_panels<Panels>(hi_b + tile_words);
      multiply<Rows, Panels>();
      load_rows<Rows>(hi_a + tile_words);
      load_panels<Panels>(hi_b);
      multiply<Rows, Panels>();
    }
    each_sum<Rows, Panels>([this]<int R, int P>() { this->template end<R, P>(); });
  }

 private:
  template <int Rows, int Panels, class Work>
  void each_sum(Work work) {
    work.template operator()<0, 0>();
    if constexpr (Panels == 2) work.template operator()<0, 1>();
    if constexpr (Rows == 2) work.template operator()<1, 0>();
    if constexpr (Rows == 2 && Panels == 2) work.template operator()<1, 1>();
  }
  template <int Rows>
  void load_rows(const std::uint32_t* tile) {
    unit_.template load_rows<0>(tile);
    if constexpr (Rows == 2) unit_.template load_rows<1>(tile + block_.rows_step);
  }
  template <int Panels>
  void load_panels(const std::uint32_t* tile) {
    unit_.template load_panel<0>(tile);
    if constexpr (Panels == 2) unit_.template load_panel<1>(tile + block_.panel_step);
  }
  template <int Rows, int Panels>
  void multiply() {
    each_sum<Rows, Panels>([this]<int R, int P>() { unit_.template multiply<R, P>(); });
  }

  // Where c has no whole tile, its part of one goes through memory of our own.
  template <int R, int P>
  void begin() {
    const auto [height, width, c] = part<R, P>();
    if (!block_.add) return unit_.template clear<2 * R + P>();
    if (height == lines && width == lines) return unit_.template load<2 * R + P>(c, block_.c_stride);
    std::fill_n(edge_, lines * lines, 0.0f);
    for (Index i = 0; i < height; ++i) std::copy_n(c + i * block_.c_stride, width, edge_ + i * lines);
    unit_.template load<2 * R + P>(edge_, lines);
  }
  template <int R, int P>
  void end() {
    const auto [height, width, c] = part<R, P>();
    if (height == lines && width == lines) return unit_.template store<2 * R + P>(c, block_.c_stride);
    unit_.template store<2 * R + P>(edge_, lines);
    for (Index i = 0; i < height; ++i) std::copy_n(edge_ + i * lines, width, c + i * block_.c_stride);
  }
  struct Part {
    Index height, width;
    float* c;
  };
  template <int R, int P>
  Part part() const {
    return {std::min(lines, block_.height - R * lines), std::min(lines, block_.width - P * lines),
            block_.c + R * lines * block_.c_stride + P * lines};
  }

  Unit& unit_;
  TileBlock block_;
  alignas(64) float edge_[lines * lines];
};

template <class Unit>
void multiply_block(Unit& unit, const TileBlock& block) {
  TileKernel<Unit> kernel(unit, block);
  const bool two_rows = block.height > lines, two_panels = block.width > lines;
  if (two_rows && two_panels) kernel.template run<2, 2>();
  else if (two_rows) kernel.template run<2, 1>();
  else if (two_panels) kernel.template run<1, 2>();
  else kernel.template run<1, 1>();
}

// As bf16x3::multiply, with the unit's own; `band` has room for band_words.
template <class Unit>
void multiply_on(Unit& unit, const Operand<float>& a, const std::uint32_t* panels, Index panel_chunks, Index columns,
                 float* c, Index c_stride, bool add, std::uint32_t* band) {
  const Index all = chunks_of(a.columns), panel_step = panel_chunks * split_tile_words;
  for (Index begin = 0; begin < all; begin += part_chunks) {
    const Index chunks = std::min(part_chunks, all - begin), rows_step = chunks * split_tile_words;
    for (Index top = 0; top < a.rows; top += band_rows) {
      const Index rows = std::min(band_rows, a.rows - top);
      split_rows(rows_of(a, top, rows), begin * chunk, chunks, band);
      for (Index column = 0; column < columns; column += 2 * lines) {
        for (Index row = 0; row < rows; row += 2 * lines) {
          multiply_block(unit, {band + row / lines * rows_step, rows_step,
                                panels + column / lines * panel_step + begin * split_tile_words, panel_step, chunks,
                                c + (top + row) * c_stride + column, c_stride, std::min(2 * lines, rows - row),
                                std::min(2 * lines, columns - column), add || begin > 0});
        }
      }
    }
  }
}

}  // namespace fovea::bf16x3
