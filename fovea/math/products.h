// Products: the precision of the matrix products of a float model; in double they are always full (room math).
// TrainSettings (lab/spec) chooses it, and nn/compute.h carries it to every layer. Two models in one process may
// differ.
#pragma once

#include <limits>
#include <type_traits>

namespace fovea {

enum class Products {
  full,   // in the matrices' own type
  bf16x3  // in float, of terms in bfloat16 (math/bf16x3.h)
};

// How far, relatively, a product of two numbers may be off.
template <class T>
constexpr double rounding_of(Products products) {
  const bool split = std::is_same_v<T, float> && products == Products::bf16x3;
  return split ? 0x1p-15 : static_cast<double>(std::numeric_limits<T>::epsilon());
}

}  // namespace fovea
