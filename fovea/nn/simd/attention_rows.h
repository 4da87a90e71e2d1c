// Kernels of causal attention on rows of scores, several rows at a time (room nn/simd). nn/attention/self_attention.h
// calls them. They overwrite the rows that they are given. Row r of Rows has the numbers of position i = positions[r]
// over the positions j <= i. From there to the stride, every function writes 0. With shifts, row i's number of
// distance i - j is added first:
//
//   score_rows       a_ij ← c (a_ij + shift_i(i-j))
//   softmax_rows     a_ij ← exp(s_ij - max_m s_im) / Σ_m exp(s_im - max_m s_im),  s_ij = c (a_ij + shift_i(i-j))
//   softmax_slopes   d_ij ← c a_ij (d_ij - Σ_m a_im d_im)
//   by_distance      shift_iδ ← d_i(i-δ)
//
// A stride is a multiple of row_grain; so many numbers before the first row may be read, whatever they are.
#pragma once

#include "fovea/math/view.h"

namespace fovea::attention_rows {

inline constexpr Index row_grain = 16;

constexpr Index stride_of(Index positions) { return (positions + row_grain - 1) / row_grain * row_grain; }

template <class T>
struct Rows {
  T* first;
  Index count, stride;
  const int* positions;

  T* row(Index r) const { return first + r * stride; }
  Rows slice(Index r, Index rows) const { return {row(r), rows, stride, positions + r}; }
};

// shifts may be null: none; else as many numbers apart from row to row as the rows.
#define FOVEA_DECLARE(T)                                         \
  void score_rows(const Rows<T>& a, T scale, const T* shifts);   \
  void softmax_rows(const Rows<T>& a, T scale, const T* shifts); \
  void softmax_slopes(const Rows<T>& d, const T* a, T scale);    \
  void by_distance(const Rows<T>& shifts, const T* d);
FOVEA_DECLARE(float)
FOVEA_DECLARE(double)
#undef FOVEA_DECLARE

}  // namespace fovea::attention_rows
