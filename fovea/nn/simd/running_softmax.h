// RunningSoftmax: averages under a softmax, row by row over any number of keys, in constant memory (room nn/simd).
// The model `pooling` (model/items/pooling.cpp) alone uses it. Sums of exponentials are relative to the highest
// similarity so far, and are scaled down when a higher one comes. For keys i with similarities s_i and values v_i
// (C), taken a few at a time, M being the highest s so far and M' that before them:
//
//   w_i = exp(s_i - M)             r = exp(M' - M)
//   Z ← r Z + Σ_i w_i              Y ← r Y + Σ_i w_i v_i              the average is Y / Z
//   A ← r (A + (M' - M) Z) + Σ_i w_i (s_i - M)                        with Z and Y as before them
//   B ← r (B + (M' - M) Y) + Σ_i w_i (s_i - M) v_i
//
// A and B give the average's slope by a factor of all similarities: d(Y/Z) = (B - A Y/Z) / Z at factor 1.
#pragma once

#include <span>

namespace fovea {

// The most similarities that are taken in at a time.
inline constexpr std::size_t most_similarities = 256;

// One query's sums over the keys seen so far. A key's weight is w = exp(s - high).
template <class T>
struct RunningSoftmax {
  T* high;    // the highest s; -infinity before the first
  T* sums;    // (C+1): Σ w v of each column of values, then Σ w
  T* slopes;  // (C+1): Σ w (s - high) v, then Σ w (s - high); null where nobody wants them
};

// C columns of values of the keys that are taken in, each column by itself.
template <class T>
struct ValueColumns {
  const T* first;
  std::ptrdiff_t stride;  // from a column to the next
  std::size_t count;      // C
};

// Takes in the similarities s, which become the weights of their keys. Returns what weights that were made before are
// to be multiplied by (1: the highest stays). Where every similarity so far is -infinity, all weights are 0.
float take_in(const RunningSoftmax<float>& softmax, std::span<float> s, const ValueColumns<float>& values);
double take_in(const RunningSoftmax<double>& softmax, std::span<double> s, const ValueColumns<double>& values);

}  // namespace fovea
