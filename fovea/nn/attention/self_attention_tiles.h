// The tiles of self-attention: some rows of one head of one stream, and their numbers in memory (room nn/attention).
// self_attention.cpp alone includes it.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "fovea/math/packed.h"
#include "fovea/nn/attention/self_attention.h"
#include "fovea/nn/simd/attention_rows.h"

namespace fovea {

inline constexpr Index tile_rows = 32;  // positions whose rows' weights are held at a time

// Where the parts of a head's memory begin: matrices that were packed, and a tile's rows.
template <class T>
struct SelfAttention<T>::Panels {
  Index k_turned, v_turned, k, v, rows, a, ds, shifts, end;

  Panels(const SelfAttention& attention, Index positions, Products products) {
    using namespace attention_rows;
    const Index K = attention.key_width, U = attention.value_width, tile = tile_rows * stride_of(positions) + row_grain;
    Index next = 0;
    const auto take = [&next](Index count) { return std::exchange(next, next + stride_of(count)); };
    k_turned = take(size_of(products, K, positions));
    v_turned = take(size_of(products, U, positions));
    k = take(size_of(products, positions, K));
    v = take(size_of(products, positions, U));
    rows = take(size_of(products, tile_rows, std::max(K, U)));
    a = take(tile) + row_grain;
    ds = take(tile) + row_grain;
    shifts = take(tile) + row_grain;
    end = next;
  }

  // Numbers of a matrix that is packed.
  static Index size_of(Products products, Index rows, Index columns) {
    return panel_depth<T>(products, rows) * attention_rows::stride_of(columns);
  }
};

// The rows given, of all streams: the position of each in its stream, and where each stream's begin, (B + 1).
template <class T>
struct SelfAttention<T>::Given {
  std::span<const int> positions;
  std::span<const Index> begins;
};

// One head of one stream.
template <class T>
struct SelfAttention<T>::Head {
  Index stream, number;
  Index first;                     // its first position among those of all streams
  Index row, behind;               // its first row among those of all streams, and the first of the next stream
  std::span<const int> positions;  // of its rows; those behind them are not there
  const AttentionRule& rule;
  Products products;
  Panels at;
  T* memory;
  PackedMatrix<T> r_turned, r;  // relative positions

  Index rows() const { return std::ssize(positions); }
  Index position(Index row) const { return positions[static_cast<std::size_t>(row)]; }
  Index length() const { return position(rows() - 1) + 1; }  // positions before them are attended to

  // A tile's rows: those whose positions lie between the same multiples of tile_rows.
  Index tile_end(Index begin) const {
    Index end = begin + 1;
    while (end < rows() && position(end) / tile_rows == position(begin) / tile_rows) ++end;
    return end;
  }
  Index tile_begin(Index end) const {
    Index begin = end - 1;
    while (begin > 0 && position(begin - 1) / tile_rows == position(end - 1) / tile_rows) --begin;
    return begin;
  }

  T* part(Index begin) const { return memory + begin; }
  // Matrices that were packed there.
  PackedMatrix<T> packed(Index begin, Index rows, Index columns) const {
    return {products, part(begin), rows, columns};
  }
};

// Rows [begin, end) of a head, over the positions before `reach`.
template <class T>
struct SelfAttention<T>::Tile {
  Index begin, end, reach;
  Operand<T> q;
  attention_rows::Rows<T> a, ds, shifts;

  Index rows() const { return end - begin; }
};

}  // namespace fovea
